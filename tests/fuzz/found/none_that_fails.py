"""What is None may fail to be had: its evaluation counts."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    gold = 0

class S(Struct):
    c: Annotated[list[Color], Capacity(0)]

@init
def start() -> S:
    return S(c=[])

@action
def act(s: S) -> None:
    require((None if s.c[0] == Color.gold else None) not in s.c)
spec = Spec(state=S, init=start, actions=[act])
