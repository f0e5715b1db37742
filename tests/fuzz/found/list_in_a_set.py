"""A set display of a list, which CPython refuses."""
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    pass

@init
def start() -> S:
    return S()

@action
def act(s: S) -> None:
    if {[]}:
        pass
spec = Spec(state=S, init=start, actions=[act])
