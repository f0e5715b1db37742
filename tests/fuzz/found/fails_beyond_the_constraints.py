"""The constraint fails in the first state, and the invariant in its successor, which is outside."""

from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, init, invariant, constraint

class S(Struct):
    c: Annotated[int, Range(-1, 1)]
    d: dict[Annotated[int, Range(0, 2)], Annotated[int, Range(0, 1)]]

@init
def start() -> S:
    return S(-1, {n: 0 for n in range(3)})

@action
def step(s: S) -> None:
    s.c = 1

@invariant
def inv2(s: S) -> bool:
    return min(x for x in s.d if x > 5) != 0

@constraint
def within(s: S) -> bool:
    return s.d[s.c] == 1
spec = Spec(state=S, init=start, actions=[step], invariants=[inv2], constraints=[within])
