"""A loop variable has the name of an optional int."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    b: Annotated[int, Range(1, 1)] | None

@init
def start() -> S:
    return S(b=1)

@invariant
def inv0(s: S) -> bool:
    x = s.b
    if x is not None:
        return True
    for x in range(3):
        pass
spec = Spec(state=S, init=start, actions=[], invariants=[inv0])
