"""A list that is replaced by a copy of itself keeps its capacity where it is still named."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    blue = 0

class Mode(Enum):
    off = 0
    on = 0

class P(Struct):
    f: Annotated[list[Color], Capacity(1)]

class S(Struct):
    b: dict[Mode, P]

@init
def start() -> S:
    return S(b={x: P([]) for x in Mode})

@action
def step(s: S) -> None:
    v = s.b[Mode.on].f
    s.b[Mode.off].f, v = (v, s.b[Mode.off].f)
    v.append(Color.blue)
spec = Spec(state=S, init=start, actions=[step])
