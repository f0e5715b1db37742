"""`s.a, s.b = x, {k: s.c}` gives the map what the value is after the first store."""
from typing import Annotated
from specmodel.lang import Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, pick, reachable, refines, require, require_some, strong, subsets, transition, values, weak

class P(Struct):
    f: Annotated[int, 0]

class S(Struct):
    b: Annotated[dict[Annotated[int, 0], P], 0]
    c: Annotated[list[P], 0]

@init
def start() -> S:
    return S(b={}, c=[])

@action
def step(s: S) -> None:
    s.c[0].f, s.b = (0, {0: s.c[0]})
spec = Spec(state=S, init=start, actions=[step])
