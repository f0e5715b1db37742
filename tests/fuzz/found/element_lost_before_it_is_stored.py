"""What a loop runs over has lost its element, and the path that would store it has ended."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = auto()

class S(Struct):
    b: Annotated[list[Color], Capacity(3)]

@init
def start() -> S:
    return S(b=[Color.red])

@action
def act(s: S) -> None:
    v = [s.b]
    for xs in v:
        del v[:1]
        require(0)
        s.b = xs
spec = Spec(state=S, init=start, actions=[act])
