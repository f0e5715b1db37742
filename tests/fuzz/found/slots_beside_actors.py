"""A set with a capacity, whose members have no actors in them, is left as it is by renaming."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, ScalarSet, Set, Spec, Struct, action, init, invariant, reachable

class Color(Enum):
    red = auto()
    green = auto()
    blue = auto()

class Node(ScalarSet, size=3, symmetric=True):
    pass

class S(Struct):
    who: Node
    c: Annotated[Set[Color], Capacity(3)]
    d: dict[Node, bool]

@init
def start(n: Node) -> S:
    return S(who=n, c={Color.green}, d={n: False for n in Node})

@action
def act(s: S, n: Node) -> None:
    s.c ^= {Color.blue}
    s.d[n] = not s.d[s.who]

@invariant
def green(s: S) -> bool:
    return Color.green in s.c

@reachable
def red(s: S) -> bool:
    return Color.red in s.c

spec = Spec(state=S, init=start, actions=[act], invariants=[green], reachable=[red])
