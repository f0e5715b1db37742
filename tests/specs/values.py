"""A small space in whose states values of every type come and go."""

from enum import Enum, auto
from typing import Annotated

from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, init, require

Signed = Annotated[int, Range(-2, 1)]


class Colour(Enum):
    red = auto()
    green = auto()


class Node(ScalarSet, size=2):
    """An actor."""


class Point(Struct):
    x: Signed
    who: Node | None


class State(Struct):
    on: bool
    colour: Colour | None
    far: Point | None
    of: dict[Node, Point]
    log: Annotated[list[Point], Capacity(2)]
    logs: dict[Colour, Annotated[list[Signed], Capacity(1)]]
    seen: Set[Node]
    points: Set[Point]
    by: dict[Signed, Set[Colour] | None]


@init
def start() -> State:
    return State(
        on=False,
        colour=None,
        far=None,
        of={n: Point(-2, n) for n in Node},
        log=[],
        logs={c: [] for c in Colour},
        seen=set(),
        points=set(),
        by={-2: None, -1: set(), 0: {Colour.red}, 1: {Colour.green}},
    )


@action
def paint(s: State, c: Colour) -> None:
    require(s.colour is None)
    s.colour = c
    s.by[-2] = {c}
    s.logs[c] = [1]


@action
def meet(s: State, n: Node) -> None:
    require(n not in s.seen and len(s.log) < 2)
    s.seen = s.seen | {n}
    s.log.append(Point(0, n))
    s.points = s.points | {Point(-1, n), Point(1, None)}
    s.far = Point(-1, None)


@action
def switch(s: State) -> None:
    s.on = not s.on
    s.of[Node.nth(0)].x = 1


values = Spec(state=State, init=start, actions=[paint, meet, switch])
