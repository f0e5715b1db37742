"""A helper that compares its argument, which is of a subclass: it never equals one of the base."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    pass

class Node(ScalarSet, size=1):
    pass

class Key(ScalarSet, size=1):
    pass

class P(Struct):
    f: dict[Color, Annotated[int, Range(0, 0)]] | None
    g: Annotated[list[Node], Capacity(0)]
    h: Set[Annotated[int, Range(0, 0)]] | None

class Q(Struct):
    f: Set[Annotated[int, Range(0, 0)]]
    g: P
    h: Annotated[int, Range(0, 0)]

class Item(Q):
    k: Key
    v: bool
    w: Key

class S(Struct):
    a: dict[Node, Item]
    b: dict[Node, Item]

@init
def start() -> S:
    return S(a={n: Item({0}, P({c: 0 for c in Color}, [], None), 0, Key.nth(0), True, Key.nth(0)) for n in Node}, b={m: Item({0}, P(None, [], {0}), 0, Key.nth(0), False, Key.nth(0)) for m in Node})

def h0(p: Q, found: bool) -> Item:
    return Item(p.f, p.g, h=0, k=Key.nth(0), v=p == Q({0}, P({x: 0 for x in Color}, [], None), 0), w=Key.nth(0))

@action
def act(s: S) -> None:
    s.a[Node.nth(0)] = h0(s.b[Node.nth(0)], found=True)
spec = Spec(state=S, init=start, actions=[act])
