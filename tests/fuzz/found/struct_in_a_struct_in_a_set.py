"""Structs with sets of structs are compared."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Mode(Enum):
    off = 0

class P(Struct):
    f: Mode
    g: Annotated[list[Annotated[int, Range(0, 0)]], Capacity(1)]

class Q(Struct):
    f: Set[P]

class S(Struct):
    pass

@init
def start() -> S:
    return S()

@action
def act(s: S) -> None:
    if Q(set()) == Q({P(Mode.off, [])}):
        pass
spec = Spec(state=S, init=start, actions=[act])
