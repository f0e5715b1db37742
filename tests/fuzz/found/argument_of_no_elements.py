"""A change of the first element of a list that has none."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class P(Struct):
    f: Annotated[int, Range(0, 0)]

class S(Struct):
    pass

@init
def start() -> S:
    return S()

def h0(rest: Annotated[list[P], Capacity(0)]) -> None:
    rest[0].f %= 0

@action
def act(s: S) -> None:
    h0([])
spec = Spec(state=S, init=start, actions=[act])
