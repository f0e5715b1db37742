"""A set of plain ints without those of a set that may have None."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    a: Set[Annotated[int, Range(0, 0)]]
    b: Annotated[int, Range(0, 0)] | None

@init
def start(x: Annotated[int, Range(0, 0)]) -> S:
    return S(a={0}, b=x)

@action
def act(s: S) -> None:
    s.a -= {s.b}
spec = Spec(state=S, init=start, actions=[act])
