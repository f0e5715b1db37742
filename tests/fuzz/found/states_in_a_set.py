"""A set display of the whole state."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    a: Annotated[list[bool], Capacity(1)]

@init
def start(x: Annotated[list[bool], Capacity(1)]) -> S:
    return S(a=x)

@constraint
def within(s: S) -> bool:
    return any(({s} for ok in s.a))
spec = Spec(state=S, init=start, actions=[], constraints=[within])
