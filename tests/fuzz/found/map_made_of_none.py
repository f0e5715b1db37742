"""A dict that is made to be compared may have a key that is no key of the map's."""
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init, transition

class Q(Struct):
    f: Annotated[int, Range(0, 1)]

class S(Struct):
    b: Q | None
    e: Annotated[dict[Q, Q], Capacity(1)]

@init
def start() -> S:
    return S(b=Q(0), e={})

@action
def act(s: S) -> None:
    s.b = None

@transition
def change(before: S, after: S) -> bool:
    return before.e == {before.b: Q(0)} or before.b is not None
spec = Spec(state=S, init=start, actions=[act], transitions=[change])
