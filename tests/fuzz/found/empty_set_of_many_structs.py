"""A set of more than 32 structs is compared with the empty set."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=2):
    pass

class P(Struct):
    f: Annotated[list[Node], Capacity(3)]
    g: bool
    h: bool

class S(Struct):
    a: Set[P]

@init
def start() -> S:
    return S(a={*()})

@action
def act(s: S) -> None:
    if s.a <= set():
        pass
spec = Spec(state=S, init=start, actions=[act])
