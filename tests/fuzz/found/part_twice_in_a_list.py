"""A part is twice in a local list, and changed through one of them."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class P(Struct):
    f: Annotated[int, Range(0, 0)] | None
    g: Annotated[int, Range(0, 0)]
    h: Annotated[int, Range(0, 0)]

class S(Struct):
    a: P

@init
def start() -> S:
    return S(a=P(0, 0, 0))

@action
def step(s: S) -> None:
    rest = [s.a, s.a]
    if 0:
        pass
    elif 0:
        pass
    else:
        rest[1].f = 0
spec = Spec(state=S, init=start, actions=[step])
