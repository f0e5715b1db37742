"""`m.get(None)` of a map that has no None among its keys is None."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, pick, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = 0

class S(Struct):
    b: Annotated[dict[Color, Annotated[int, Range(0, 0)]], Capacity(0)]
    d: Color | None

@init
def start() -> S:
    return S(b={}, d=Color.red)

@invariant
def inv0(s: S) -> bool:
    return 0 != s.b.get(s.d)
spec = Spec(state=S, init=start, actions=[], invariants=[inv0])
