"""An element of a local list is appended to it again, and changed."""
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init

class P(Struct):
    n: Annotated[int, Range(0, 9)]
class S(Struct):
    ps: Annotated[list[P], Capacity(3)]

@init
def start() -> S:
    return S([])

@action
def act(s: S) -> None:
    ps = [P(3)]
    ps.append(ps[-1])
    ps[-1].n = 5
    s.ps = ps
spec = Spec(state=S, init=start, actions=[act])
