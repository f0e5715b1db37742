"""None among maps of sets."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = 0

class S(Struct):
    a: dict[Color, Set[Annotated[int, Range(0, 0)]]] | None

@init
def start() -> S:
    return S(a=None)

@invariant
def inv2(s: S) -> bool:
    return s.a in (None, {c: {0} for c in Color})
spec = Spec(state=S, init=start, actions=[], invariants=[inv2])
