"""A set comprehension gives the same struct again and again."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    pass

class P(Struct):
    f: Annotated[int, Range(0, 4)]
    g: Annotated[int, Range(0, 2)]
    h: bool | None

class S(Struct):
    c: Set[P]

@init
def start() -> S:
    return S(c={*()})

@action
def step(s: S) -> None:
    s.c = {P(0, 0, None) for mode in Color}
spec = Spec(state=S, init=start, actions=[step])
