"""The length of a map that is None."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Key(ScalarSet, size=0):
    pass

class S(Struct):
    a: dict[Key, Annotated[int, Range(0, 0)]] | None

@init
def start() -> S:
    return S(a=None)

@constraint
def within(s: S) -> bool:
    return len(s.a) < 0
spec = Spec(state=S, init=start, actions=[], constraints=[within])
