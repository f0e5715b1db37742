"""A call appends to what a helper returns."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class P(Struct):
    pass

class Item(Struct):
    f: Annotated[int, Range(0, 0)]
    g: Annotated[int, Range(0, 0)]
    h: Annotated[int, Range(0, 0)]

class S(Struct):
    a: Annotated[list[P], Capacity(1)]
    b: Annotated[list[Item], Capacity(0)]
    c: bool
    d: Annotated[list[P], Capacity(0)]

@init
def start() -> S:
    return S(a=[], b=[], c=False, d=[])

def h0() -> Annotated[list[Item], Capacity(0)]:
    pass

@action
def move(s: S) -> None:
    h0().append(Item(0, 0, 0))
spec = Spec(state=S, init=start, actions=[move])
