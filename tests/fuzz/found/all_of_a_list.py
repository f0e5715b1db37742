"""`all([...])` of a list evaluates every element first."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=1):
    pass

class S(Struct):
    c: Annotated[list[Annotated[int, Range(0, 0)]], Capacity(1)]
    e: Annotated[list[Node], Capacity(4)]

@init
def start() -> S:
    return S(c=[], e=[])

@invariant
def inv2(s: S) -> bool:
    if all([s.c[i] for i in range(len(s.e))]):
        pass
    return True
spec = Spec(state=S, init=start, actions=[], invariants=[inv2])
