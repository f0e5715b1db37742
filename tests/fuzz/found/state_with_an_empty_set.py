"""The state is compared with one whose set is empty."""
from enum import Enum, auto
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Color(Enum):
    red = auto()
    green = auto()
    blue = auto()
    gold = auto()

class Item(Struct):
    f: Color
    g: Annotated[int, Range(0, 2)]
    h: Annotated[int, Range(0, 2)]

class S(Struct):
    a: Set[Item]

@init
def start() -> S:
    return S(a={*()})

def h0(flag: bool) -> None:
    pass

@action
def act(s: S) -> None:
    h0(s.a == set())
spec = Spec(state=S, init=start, actions=[act])
