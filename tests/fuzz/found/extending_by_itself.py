"""A list is extended by another name for itself."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    d: Annotated[list[Annotated[int, Range(0, 0)]], Capacity(1)]

@init
def start() -> S:
    return S(d=[])

@action
def act(s: S) -> None:
    rest = s.d
    xs = s.d
    rest += xs
spec = Spec(state=S, init=start, actions=[act])
