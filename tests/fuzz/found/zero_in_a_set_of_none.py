"""`0 in {None}` is false."""
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    pass

@init
def start() -> S:
    return S()

@invariant
def inv0(s: S) -> bool:
    return 0 in {None}
spec = Spec(state=S, init=start, actions=[], invariants=[inv0])
