"""The empty set takes no room between 0 and the members of others."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    c: Set[Set[Annotated[int, Range(1099511627776, 1099511627779)]]]

@init
def start() -> S:
    return S(c={*()})

@action
def move(s: S) -> None:
    s.c = s.c.union(set())
spec = Spec(state=S, init=start, actions=[move])
