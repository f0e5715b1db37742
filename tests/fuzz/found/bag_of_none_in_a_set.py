"""`set() | {None}` is removed from a bag of structs."""
from typing import Annotated
from specmodel.lang import Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, pick, reachable, require, require_some, strong, transition, weak

class P(Struct):
    pass

class S(Struct):
    b: Annotated[Bag[P], Capacity(0)]

@init
def start() -> S:
    return S(b=Bag())

@action
def act(s: S) -> None:
    s.b -= set() | {None}
spec = Spec(state=S, init=start, actions=[act])
