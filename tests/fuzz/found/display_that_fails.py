"""`x in (1, s.a[i])` evaluates all of the display first."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    a: Annotated[list[Annotated[int, Range(0, 0)]], Capacity(1)]

@init
def start() -> S:
    return S(a=[])

@action
def act(s: S, count: Annotated[int, Range(0, 1)]) -> None:
    require(count not in (1, s.a[count]))
spec = Spec(state=S, init=start, actions=[act])
