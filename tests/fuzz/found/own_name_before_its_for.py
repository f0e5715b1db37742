"""A comprehension uses the name of its second clause in its first."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    c: Set[Annotated[int, Range(0, 1)]]
    d: Annotated[list[Annotated[int, Range(0, 0)]], Capacity(1)]

@init
def start() -> S:
    return S(c={1}, d=[])

@action
def move(s: S, count: Annotated[int, Range(0, 0)]) -> None:
    s.c, s.c = (set(), {total for total in s.d if count for count in [n for n in s.d]})
    require(0)
spec = Spec(state=S, init=start, actions=[move])
