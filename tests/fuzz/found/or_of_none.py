"""Or of none."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=1):
    pass

class P(Struct):
    f: Annotated[list[Node], Capacity(0)]
    g: Annotated[int, Range(0, 0)]
    h: bool | None

class S(Struct):
    a: P

@init
def start() -> S:
    return S(a=P([], 0, None))

@reachable
def can0(s: S) -> bool:
    return False or s.a.h
spec = Spec(state=S, init=start, actions=[], reachable=[can0])
