"""A loop empties the list that it runs over."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    a: Annotated[list[bool], Capacity(2)]

@init
def start() -> S:
    return S(a=[])

@action
def act(s: S) -> None:
    for b in s.a:
        s.a[0] = True
        del s.a[0:]
spec = Spec(state=S, init=start, actions=[act])
