"""A loop deletes from the list that it runs over."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = 0

class Node(ScalarSet, size=1):
    pass

class P(Struct):
    f: Annotated[int, Range(-128, 127)]
    g: Annotated[int, Range(0, 9)]

class S(Struct):
    a: Annotated[list[Color], Capacity(4)]
    b: Node | None
    c: Annotated[list[P], Capacity(3)]
    e: Set[bool]

@init
def start(x: Node | None) -> S:
    return S(a=[], b=x, c=[], e={*()})

@action
def act(s: S, r: Node) -> None:
    for p in s.c:
        del s.c[1:]
        if len(s.a) < 4:
            s.a += [mode for mode in s.a]

@action
def step(s: S) -> None:
    pass

@action
def move(s: S) -> None:
    pass

def can0() -> bool:
    return 0

def can1() -> bool:
    return 0
spec = Spec(state=S, init=start, actions=[act])
