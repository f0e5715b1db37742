"""A list that is made as a key of a dict has no hash in Python."""
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init

class S(Struct):
    a: Annotated[dict[Annotated[list[Annotated[int, Range(0, 1)]], Capacity(1)], bool], Capacity(1)]

@init
def start() -> S:
    return S(a={})

@action
def act(s: S) -> None:
    s.a = {[]: False}
spec = Spec(state=S, init=start, actions=[act])
