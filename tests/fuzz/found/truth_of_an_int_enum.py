"""A member of an IntEnum that is 0 is false, though it is not None."""
from enum import IntEnum
from specmodel.lang import Spec, Struct, action, init

class Level(IntEnum):
    low = 0
    high = 1

class S(Struct):
    a: Level | None
    t: bool

@init
def start(a: Level | None) -> S:
    return S(a, False)

@action
def act(s: S) -> None:
    s.t = True if s.a else False
spec = Spec(state=S, init=start, actions=[act])
