"""Two lists whose elements have different ranges are exchanged."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    a: Annotated[list[Annotated[int, Range(0, 0)]], Capacity(1)]
    c: Annotated[list[Annotated[int, Range(1, 1)]], Capacity(1)]

@init
def start() -> S:
    return S(a=[], c=[])

@action
def step(s: S) -> None:
    s.c, s.a = (s.a, s.c)
spec = Spec(state=S, init=start, actions=[step])
