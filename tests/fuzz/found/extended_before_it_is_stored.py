"""A list that is extended through `+=` changes before a copy of it is stored."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = 0

class P(Struct):
    f: Annotated[list[Color], Capacity(4)]
    g: bool
    h: Annotated[int, Range(0, 1)]

class Q(P):
    k: P

class S(Struct):
    a: Q

@init
def start() -> S:
    return S(a=Q([], False, 0, P([], False, 0)))

@action
def step(s: S) -> None:
    for rest in (s.a.f, s.a.k.f):
        s.a.k.f += rest
spec = Spec(state=S, init=start, actions=[step])
