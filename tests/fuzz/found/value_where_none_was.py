"""A local map of None alone is given another value: what its values may be is not known."""

from typing import Annotated
from specmodel.lang import (
    Capacity,
    Range,
    ScalarSet,
    Set,
    Spec,
    Struct,
    action,
    init,
    invariant,
    reachable,
    require,
)


class Node(ScalarSet, size=2):
    pass


class Item(Struct):
    f: bool


class S(Struct):
    b: bool
    c: Annotated[int, Range(0, 3)]


@init
def start() -> S:
    return S(False, 0)


@action
def step(s: S) -> None:
    m = {n: None for n in Node}
    m[Node.nth(0)] = Item(True)
    s.b = m[Node.nth(0)] is not None


spec = Spec(state=S, init=start, actions=[step])
