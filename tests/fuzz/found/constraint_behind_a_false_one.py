"""Each constraint is looked at in a state, also where another one is false."""
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, constraint, init

class S(Struct):
    a: Annotated[int, Range(0, 3)]

@init
def start() -> S:
    return S(a=0)

@action
def step(s: S) -> None:
    s.a += 1

@constraint
def few(s: S) -> bool:
    return s.a < 2

@constraint
def fails(s: S) -> bool:
    return 6 // (s.a - 2) < 9
spec = Spec(state=S, init=start, actions=[step], constraints=[few, fails])
