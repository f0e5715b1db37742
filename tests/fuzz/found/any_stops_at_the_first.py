"""`any(1 for ...)` stops at the first element that passes its condition."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    c: Annotated[list[bool], Capacity(1)]

@init
def start() -> S:
    return S(c=[])

@invariant
def inv0(s: S) -> bool:
    return any((1 for k in range(3) if s.c[k]))
spec = Spec(state=S, init=start, actions=[], invariants=[inv0])
