"""A loop over a set display runs in the order of the domain."""
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, init, reachable, require

class S(Struct):
    a: Annotated[int, Range(0, 9)]

@init
def start() -> S:
    return S(0)

@action
def act(s: S) -> None:
    require(s.a == 0)
    for x in {8, 1}:
        s.a = x

@reachable
def one(s: S) -> bool:
    return s.a == 1
spec = Spec(state=S, init=start, actions=[act], reachable=[one])
