"""The subject of a match fails, and no case looks at it."""
from specmodel.lang import Spec, Struct, action, init, require

class P(Struct):
    f: bool

class S(Struct):
    c: P | None

@init
def start(x: P | None) -> S:
    return S(c=x)

@action
def act(s: S) -> None:
    match s.c.f:
        case _:
            require(0)

@action
def step(s: S, b: bool) -> None:
    if b:
        m = s.c
    match m:
        case x if b:
            s.c = P(False)
        case _:
            require(0)
spec = Spec(state=S, init=start, actions=[act, step])
