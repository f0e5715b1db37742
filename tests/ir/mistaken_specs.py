"""The specs that mistakes stand in: a prelude, and an action or a property with a body."""

PRELUDE = """
from specmodel.lang import subsets, values


class Light(Enum):
    red = 1
    green = 2


class Node(ScalarSet, size=2, prefix="n"):
    pass


class Point(Struct):
    x: Annotated[int, Range(0, 3)]
    y: Annotated[int, Range(0, 3)] = 0


class State(Struct):
    n: Annotated[int, Range(0, 3)]
    at: Annotated[int, Range(0, 3)]
    lit: Light
    on: bool
    who: Node | None
    near: Point
    far: Point | None
    log: Annotated[list[Point], Capacity(2)]
    ints: Annotated[list[Annotated[int, Range(0, 3)]], Capacity(2)]
    of: dict[Node, Point]
    seen: Set[Node]
    nums: Set[Annotated[int, Range(0, 3)]]
    maybes: Set[Node | None]


n1 = Node.nth(0)
THINGS = [1, 2]
LIMIT = 3


@init
def start() -> State:
    of = {n: Point(0) for n in Node}
    return State(0, 0, Light.red, False, None, Point(0), None, [], [], of, set(), set(), set())


def helper(s: State, n: int) -> bool:
    return s.n < n


def around(s: State, n: int) -> bool:
    return around(s, n)


def untyped(s: State, n) -> bool:
    return True


def defaulted(s: State, n: int = 1) -> bool:
    return True


def sometimes(s: State) -> bool:
    if s.on:
        return True


def effect(s: State) -> None:
    s.n = 1


def guarded(s: State) -> bool:
    require(s.on)
    return True
"""

ACTION = """

@action
def act(s: State, n: Node, o: Node) -> None:
{body}


spec = Spec(state=State, init=start, actions=[act])
"""

PROPERTY = """

@action
def act(s: State) -> None:
    pass


@invariant
def fine(s: State) -> bool:
{body}


spec = Spec(state=State, init=start, actions=[act], invariants=[fine])
"""
