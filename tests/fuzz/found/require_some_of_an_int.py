"""Require some of an int."""
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    pass

@init
def start() -> S:
    return S()

def h1() -> None:
    for o in {0}:
        q = require_some(o)

@action
def act(s: S) -> None:
    h1()
spec = Spec(state=S, init=start, actions=[act])
