"""Extreme of one none."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=1):
    pass

class S(Struct):
    c: Annotated[int, Range(0, 1)] | None

@init
def start(x: Annotated[int, Range(0, 1)]) -> S:
    return S(c=x)

@reachable
def can1(s: S) -> bool:
    return 0 != max((s.c for r in Node))
spec = Spec(state=S, init=start, actions=[], reachable=[can1])
