"""The length of a part that is not there."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = 0
    green = 0

class Node(ScalarSet, size=1):
    pass

class P(Struct):
    f: dict[Annotated[int, Range(0, 2)], Node]
    g: Annotated[list[Annotated[int, Range(0, 7)]], Capacity(3)]

class S(Struct):
    who: Node
    a: Annotated[list[Annotated[int, Range(0, 16)]], Capacity(2)]
    b: Color
    c: P
    d: dict[Color, P]
most = 3

@init
def start(n: Node) -> S:
    return S(who=n, a=[], b=Color.green, c=P({count: n for count in range(3)}, []), d={c: P({n: Node.nth(0) for n in range(3)}, []) for c in Color})

@action
def act(s: S) -> None:
    pass

@action
def step(s: S) -> None:
    pass

def inv0() -> bool:
    return 0

def inv1() -> bool:
    return 0

@reachable
def can0(s: S) -> bool:
    return s.b in (Color.green, s.b if s.c.f[most] != s.who else s.b)

@reachable
def can1(s: S) -> bool:
    return True

def within() -> bool:
    return 0
spec = Spec(state=S, init=start, actions=[], reachable=[can0])
