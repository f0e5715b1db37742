"""As before, with a sum as the default."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Key(ScalarSet, size=1):
    pass

class S(Struct):
    a: dict[Key, Annotated[int, Range(0, 0)]]
    b: Annotated[list[bool], Capacity(0)]

@init
def start() -> S:
    return S(a={n: 0 for n in Key}, b=[])

@invariant
def inv1(s: S) -> bool:
    return max((0 for r in Key), default=sum((1 for k in s.a.values() if s.b[k]))) <= 0
spec = Spec(state=S, init=start, actions=[], invariants=[inv1])
