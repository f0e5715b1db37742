"""A part is exchanged with a local, which is stored later."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = 0
    green = 1

class Mode(Enum):
    off = 1
    on = 1

class P(Struct):
    f: Mode
    g: Color

class S(Struct):
    a: P

@init
def start() -> S:
    return S(a=P(Mode.on, Color.red))

@action
def act(s: S) -> None:
    item = P(s.a.f, Color.green)
    item, s.a = (s.a, item)
    if 0:
        pass
    else:
        s.a, s.a = (P(Mode.off, Color.red), item)
spec = Spec(state=S, init=start, actions=[act])
