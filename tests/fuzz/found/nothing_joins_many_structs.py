"""A set of more than 32 structs is joined with the empty set."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Key(ScalarSet, size=0):
    pass

class P(Struct):
    f: Set[Annotated[int, Range(0, 4)]]
    g: Annotated[int, Range(0, 2)] = 0

class Q(Struct):
    f: Annotated[int, Range(0, 2)]

class S(Struct):
    a: Set[P]
most = 0

@init
def start() -> S:
    return S(a=set())

@action
def act(s: S) -> None:
    s.a |= set()

@action
def step() -> None:
    pass

def inv0() -> bool:
    pass

def change() -> bool:
    pass
spec = Spec(state=S, init=start, actions=[act])
