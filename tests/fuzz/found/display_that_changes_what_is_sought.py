"""`s.t in (f(s), s.t)` takes s.t before f changes it, and f before it takes s.t again."""
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, init

class S(Struct):
    t: Annotated[int, Range(0, 3)]
    on: bool

@init
def start() -> S:
    return S(0, False)

def bump(s: S) -> int:
    s.t = (s.t + 1) % 4
    return s.t

@action
def act(s: S) -> None:
    s.on = s.t in (bump(s), s.t)
spec = Spec(state=S, init=start, actions=[act])
