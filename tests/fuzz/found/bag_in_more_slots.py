"""A bag is stored in one with more slots, whose new ones have no key."""
from enum import Enum
from typing import Annotated
from specmodel.lang import Bag, Capacity, Spec, Struct, action, init
class Mode(Enum):
    off = 0
class S(Struct):
    a: Annotated[Bag[Mode], Capacity(2)]
    b: Annotated[Bag[Mode], Capacity(3)]
@init
def start() -> S:
    return S(a=Bag(), b=Bag())
@action
def step(s: S) -> None:
    s.b = s.a
    s.b -= {Mode.off}
@action
def more(s: S) -> None:
    s.b += {Mode.off}
spec = Spec(state=S, init=start, actions=[step, more])
