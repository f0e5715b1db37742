"""A local list holds a part of the state, which is changed through the list."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    b: Annotated[list[Annotated[int, Range(0, 1)]], Capacity(1)]

@init
def start() -> S:
    return S(b=[])

@action
def step(s: S) -> None:
    v = [s.b]
    v[0][0] = 0
spec = Spec(state=S, init=start, actions=[step])
