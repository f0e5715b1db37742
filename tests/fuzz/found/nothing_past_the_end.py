"""What lies past the end of a list is compared with None."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class P(Struct):
    pass

class S(Struct):
    b: Annotated[list[P], Capacity(0)]

@init
def start() -> S:
    return S(b=[])

@invariant
def inv0(s: S) -> bool:
    return s.b[0] == None
spec = Spec(state=S, init=start, actions=[], invariants=[inv0])
