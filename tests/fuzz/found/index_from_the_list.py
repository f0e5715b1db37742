"""Elements of a list are its indices."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    c: Annotated[list[Annotated[int, Range(-3, 0)]], Capacity(2)]

@init
def start() -> S:
    return S(c=[])

@action
def act(s: S) -> None:
    for i in s.c:
        s.c[i] = 0
spec = Spec(state=S, init=start, actions=[act])
