"""A name is bound again and used in the next target of the same assignment."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    green = 0

class S(Struct):
    a: dict[Color, bool]

@init
def start() -> S:
    return S(a={mode: False for mode in Color})

@action
def step(s: S, x: Annotated[int, Range(0, 0)]) -> None:
    ys = [s.a]
    ys, ys[x][Color.green] = (ys, True)
spec = Spec(state=S, init=start, actions=[step])
