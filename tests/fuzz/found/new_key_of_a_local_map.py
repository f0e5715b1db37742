"""A local map is given a key that it does not have."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    blue = 0

class P(Struct):
    f: Color | None

class S(Struct):
    a: Annotated[int, Range(1, 3)]
    c: dict[Annotated[int, Range(0, 2)], P]

@init
def start(x: Annotated[int, Range(1, 1)]) -> S:
    return S(a=x, c={count: P(Color.blue) for count in range(3)})

@action
def act(s: S) -> None:
    d: dict[Annotated[int, Range(0, 2)], P] = {n: P(None) for n in range(3)}
    d[s.a] = s.c[0]
spec = Spec(state=S, init=start, actions=[act])
