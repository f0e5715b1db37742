"""A scalar set without members: nothing that would hold one is ever there."""

from typing import Annotated
from specmodel.lang import (
    Spec,
    Struct,
    ScalarSet,
    Set,
    action,
    init,
    pick,
    Capacity,
    Bag,
    require,
    Range,
)


class Color(ScalarSet, size=0):
    pass


class A(Struct):
    c: Color
    n: bool


class B(Struct):
    m: bool


class S(Struct):
    c: Annotated[list[A | B], Capacity(2)]
    d: A | B
    e: Annotated[Set[A | B], Capacity(2)]
    f: Annotated[Bag[A], Capacity(2)]
    g: A | None
    h: Annotated[dict[Color, Annotated[int, Range(0, 2)]], Capacity(2)]
    t: tuple[Color, bool] | None
    n: bool


@init
def start() -> S:
    return S(c=[], n=False, d=B(m=True), e=set(), f=Bag(), g=None, h={}, t=None)


@action
def act(s: S) -> None:
    require(len(s.c) < 2)
    s.c.append(B(m=s.n))
    s.n = not s.n
    s.e |= {B(m=s.n)}


@action
def take(s: S) -> None:
    got = pick(s.c)
    s.d = got
    s.c = [x for x in s.c if x != got]
    if s.n:
        gone = pick(s.f)
        s.g = gone


spec = Spec(state=S, init=start, actions=[act, take])
