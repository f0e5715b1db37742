"""A function assigns to a name of the module, which makes it its own."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=2):
    pass

class P(Struct):
    f: Annotated[int, Range(0, 1)]

class Item(P):
    g: Node

class S(Struct):
    a: Annotated[list[Annotated[int, Range(0, 3)]], Capacity(0)]
    b: Item
SOME = frozenset()

@init
def start() -> S:
    return S(a=[], b=Item(1, Node.nth(1)))

def h1() -> None:
    pass

@action
def act(s: S) -> None:
    pass

@action
def step(s: S) -> None:
    for n in SOME:
        v = 0
        SOME |= {r for r in Node}

def can0() -> bool:
    return 0

def change() -> bool:
    return 0
spec = Spec(state=S, init=start, actions=[step])
