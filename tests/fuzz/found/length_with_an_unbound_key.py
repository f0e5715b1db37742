"""The length of a map that is reached by a name without a value."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=0):
    pass

class P(Struct):
    f: dict[Node, Annotated[int, Range(0, 1)]]

class S(Struct):
    a: dict[Annotated[int, Range(0, 2)], P]

@init
def start() -> S:
    return S(a={x: P({who: 0 for who in Node}) for x in range(3)})

@action
def step(s: S) -> None:
    for i in range(0):
        pass
    i = len(s.a[i].f)
spec = Spec(state=S, init=start, actions=[step])
