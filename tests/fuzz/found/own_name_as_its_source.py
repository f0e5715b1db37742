"""A clause of a comprehension runs over a list of its own name."""
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    pass
most = 0

@init
def start() -> S:
    return S()

@action
def step(s: S) -> None:
    p = 0
    if max((most for total in [0] for p in [p])):
        pass
spec = Spec(state=S, init=start, actions=[step])
