"""What is added to the last list of a list appends to that list: Python then stores the sum there."""
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init, require

Inner = Annotated[list[Annotated[int, Range(0, 3)]], Capacity(3)]

class S(Struct):
    xs: Annotated[list[Inner], Capacity(3)]

@init
def start() -> S:
    return S(xs=[[0], [1]])

def grown(s: S) -> Inner:
    require(len(s.xs) < 3)
    s.xs.append([2])
    return s.xs[2]

@action
def last(s: S) -> None:
    s.xs[-1] += grown(s)
spec = Spec(state=S, init=start, actions=[last])
