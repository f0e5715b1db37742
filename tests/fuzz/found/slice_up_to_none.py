"""A slice whose bound is None."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class P(Struct):
    f: Annotated[int, Range(0, 0)] | None

class S(Struct):
    c: Annotated[list[Annotated[int, Range(0, 0)]], Capacity(0)]
    e: P

@init
def start() -> S:
    return S(c=[], e=P(None))

@action
def step(s: S) -> None:
    del s.c[s.e.f:]
spec = Spec(state=S, init=start, actions=[step])
