"""A struct that is a dataclass too compares otherwise than specmodel's: it is refused."""
from dataclasses import dataclass
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, init

@dataclass
class P(Struct):
    f: Annotated[int, Range(0, 1)]

class S(Struct):
    t: bool

@init
def start() -> S:
    return S(False)

def same(p: bool) -> bool:
    q = P(0)
    return q in {P(1)} or p

@action
def act(s: S) -> None:
    s.t = same(s.t)
spec = Spec(state=S, init=start, actions=[act])
