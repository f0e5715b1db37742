"""A local list of lists gets its own elements once more, and one of them changes."""
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init

class S(Struct):
    xs: Annotated[list[Annotated[list[Annotated[int, Range(0, 9)]], Capacity(3)]], Capacity(3)]

@init
def start() -> S:
    return S([])

@action
def act(s: S) -> None:
    xs = [[1]]
    xs += xs
    xs[0].append(2)
    s.xs = xs
spec = Spec(state=S, init=start, actions=[act])
