"""A sum whose clause runs over a part of its own name."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class P(Struct):
    f: Annotated[list[bool], Capacity(4)]
    g: Set[Annotated[int, Range(0, 1)]]

class S(Struct):
    a: P

@init
def start() -> S:
    return S(a=P([], {0}))

@action
def act(s: S) -> None:
    x = s.a
    r = s.a
    if sum((1 for ok in r.f for x in x.g)):
        pass
spec = Spec(state=S, init=start, actions=[act])
