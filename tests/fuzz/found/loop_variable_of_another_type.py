"""A loop binds a name that holds an optional of what it runs over."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=0):
    pass

class P(Struct):
    f: dict[Node, Annotated[int, Range(0, 3)]]

class Q(Struct):
    f: bool | None
    g: Set[P]
    h: Set[bool]

class S(Struct):
    a: Q

@init
def start() -> S:
    return S(a=Q(True, {*()}, {*()}))

@action
def move(s: S, x: Annotated[int, Range(0, 3)]) -> None:
    item = 0
    maybe = s.a.f
    b = maybe
    for b in s.a.h:
        pass
spec = Spec(state=S, init=start, actions=[move])
