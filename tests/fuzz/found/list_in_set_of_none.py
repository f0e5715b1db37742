"""A list, which may be None, is looked for in a set of None."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class P(Struct):
    pass

class S(Struct):
    b: Annotated[list[P], Capacity(1)] | None

@init
def start() -> S:
    return S(b=None)

@action
def put(s: S) -> None:
    s.b = [P()]

@reachable
def can0(s: S) -> bool:
    seen = {None}
    return s.b not in seen

@invariant
def inv0(s: S) -> bool:
    return s.b not in {None} or s.b in {None, None}
spec = Spec(state=S, init=start, actions=[put], reachable=[can0], invariants=[inv0])
