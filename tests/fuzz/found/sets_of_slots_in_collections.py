"""Sets in sets, bags and keys, of an element that a set with a capacity has too."""
from enum import Enum
from typing import Annotated
from specmodel.lang import Bag, Capacity, Set, Spec, Struct, action, init, invariant, pick

class Color(Enum):
    red = 0
    blue = 1
    gold = 2

class S(Struct):
    c: Annotated[Set[Color], Capacity(3)]
    d: Annotated[Bag[Set[Color]], Capacity(3)]
    e: Annotated[Set[Set[Color]], Capacity(3)]
    f: Annotated[dict[Set[Color], bool], Capacity(3)]
    g: Annotated[Set[tuple[Set[Color], bool]], Capacity(3)]
    h: Annotated[Set[Set[Color] | None], Capacity(3)]
    k: Annotated[dict[tuple[Set[Color], bool], bool], Capacity(3)]
    t: tuple[Set[Color], bool]
    n: Set[Set[Color]]

@init
def start() -> S:
    return S(c=set(), d=Bag(), e=set(), f={}, g=set(), h=set(), k={}, t=(set(), False), n=set())

@action
def act(s: S) -> None:
    s.d = Bag([{Color.gold}, {Color.red, Color.blue}])

@action
def act2(s: S) -> None:
    s.e = {frozenset({Color.gold}), frozenset({Color.red, Color.blue})}
    s.n = {frozenset({Color.gold}), frozenset({Color.red, Color.blue})}

@action
def act3(s: S) -> None:
    s.f[frozenset({Color.gold})] = True
    s.f[frozenset({Color.red, Color.blue})] = False

@action
def act4(s: S) -> None:
    s.g |= {(frozenset({Color.gold}), True)}
    s.g |= {(frozenset({Color.red, Color.blue}), False)}
    s.h = {None, frozenset({Color.gold}), frozenset({Color.red, Color.blue})}

@action
def act5(s: S) -> None:
    s.k[(frozenset({Color.gold}), True)] = True
    s.k[(frozenset({Color.red, Color.blue}), True)] = True
    s.t = (frozenset({Color.red, Color.blue}), True)

@action
def act6(s: S) -> None:
    x = pick(s.d)
    s.c = x
    s.d -= {x}
    s.e |= {x}
    s.e = {y for y in s.e if Color.gold in y}

@action
def act7(s: S) -> None:
    s.c = {Color.red, Color.blue}
    s.d = Bag([s.c, {Color.gold}])
    s.e = {s.c, frozenset({Color.gold})}

@action
def act8(s: S) -> None:
    s.f = {x: True for x in s.e}
    s.d = Bag([x for x in s.e])

@invariant
def all_of(s: S) -> bool:
    return all(s.f[x] or True for x in s.f) and len(s.c) < 9 or s.d[s.c] < 9

spec = Spec(state=S, init=start, actions=[act, act2, act3, act4, act5, act6, act7, act8], invariants=[all_of])
