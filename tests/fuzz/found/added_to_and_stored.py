"""`+=` on a field that is a list changes the list and then stores a copy of it."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    c: Annotated[list[bool], Capacity(1)]

@init
def start() -> S:
    return S(c=[])

@action
def act(s: S) -> None:
    ys = s.c
    s.c += []
    ys[0] = True
spec = Spec(state=S, init=start, actions=[act])
