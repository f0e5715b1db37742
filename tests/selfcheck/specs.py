"""A small design with rules of every kind that a run compares."""

from __future__ import annotations

from pathlib import Path

from specmodel.design import Design
from tests.written import HEADER, design_of

DESK = """
size = constant("size", 3, low=1, high=9, doc="requests that a client may make")

class Client(ScalarSet, size=2, prefix="c", symmetric=True):
    pass

class State(Struct):
    made: dict[Client, Annotated[int, Range(0, size)]]
    queue: Annotated[list[Client], Capacity(2)]
    served: Annotated[int, Range(0, 3)]

@init
def idle() -> State:
    return State({c: 0 for c in Client}, [], 0)

@action
def ask(s: State, by: Client) -> None:
    require(s.made[by] < size and len(s.queue) < 2)
    s.made[by] += 1
    s.queue.append(by)

@action
def serve(s: State) -> None:
    require(len(s.queue) > 0)
    s.queue = s.queue[1:]
    s.served = (s.served + 1) % 4

@action
def rest(s: State) -> None:
    require(s.served == 3 and len(s.queue) == 0 and any(s.made[c] > 1 for c in Client))
    s.served = 0

@invariant
def few(s: State) -> bool:
    return s.served + len(s.queue) < 5

@reachable
def three(s: State) -> bool:
    return s.served == 3

@transition
def one_by_one(before: State, after: State) -> bool:
    return len(after.queue) <= len(before.queue) + 1

spec = Spec(
    state=State, init=idle, actions=[ask, serve, rest], invariants=[few],
    reachable=[three], transitions=[one_by_one],
)
"""


def desk(folder: Path, size: int = 3) -> Design:
    """The design, loaded."""
    return design_of(folder, DESK, size=size)


def desk_file(folder: Path) -> Path:
    """Its file, for the command line."""
    file = folder / "desk.py"
    file.write_text(HEADER + DESK, encoding="utf-8")
    return file
