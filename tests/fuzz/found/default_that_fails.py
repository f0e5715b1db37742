"""The default of max is evaluated even where it is not needed, and fails."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = 0

class S(Struct):
    d: Annotated[list[Annotated[int, Range(1, 1)]], Capacity(1)]

@init
def start() -> S:
    return S(d=[])

@action
def step(s: S) -> None:
    count = max((min((k for mode in Color), default=s.d[1]) for k in s.d))
spec = Spec(state=S, init=start, actions=[step])
