"""Picks of lists with different lengths share a parameter, also where the search finds them."""
from typing import Annotated
from specmodel.lang import Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, pick, reachable, refines, require, require_some, strong, subsets, transition, values, weak

class S(Struct):
    a: Annotated[list[int], Capacity(1)]
    b: Annotated[list[int], 0]

@init
def start() -> S:
    return S(a=[0], b=[0])

def take0(s: S) -> None:
    got = pick(s.a)
    other = pick(s.a)

@action
def step(s: S) -> None:
    if True:
        got = pick(s.b)
        other = pick(s.a)
    else:
        take0(s)
    del s.a[:1]
spec = Spec(state=S, init=start, actions=[step])
