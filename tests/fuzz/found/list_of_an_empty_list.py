"""A local list of an empty list."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = 0
    green = 0

class Node(ScalarSet, size=2):
    pass

class P(Struct):
    f: Annotated[int, Range(-1, 1)]
    g: Color
    h: Annotated[int, Range(-1, 1)] = -1

class Q(Struct):
    f: Color
    g: Annotated[list[P], Capacity(3)]

class S(Struct):
    a: Annotated[list[Node], Capacity(3)] | None
    b: Set[P]
    c: Color | None

@init
def start() -> S:
    return S(a=None, b=set(), c=None)

def h0() -> None:
    pass

@action
def act(s: S) -> None:
    pass

@action
def step(s: S) -> None:
    pass

def inv0() -> bool:
    return len() != sum() % 1

def can0() -> bool:
    return all()

@transition
def change(before: S, after: S) -> bool:
    rest = [[]]
    return rest[-1][len(rest[-1]) - 1] != Node.nth(1)
spec = Spec(state=S, init=start, actions=[act], transitions=[change])
