"""Of `a, b = 1, a` the values are taken before a has one."""
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, init

class S(Struct):
    t: Annotated[int, Range(0, 3)]

@init
def start() -> S:
    return S(0)

@action
def act(s: S) -> None:
    a, b = 1, a
    s.t = b
spec = Spec(state=S, init=start, actions=[act])
