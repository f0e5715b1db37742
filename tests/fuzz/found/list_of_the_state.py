"""A local list holds the state, which is changed through the list."""
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    a: Set[bool]

@init
def start() -> S:
    return S(a=set())

@action
def act(s: S) -> None:
    xs = [s]
    xs[0].a = {True}
spec = Spec(state=S, init=start, actions=[act])
