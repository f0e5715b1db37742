"""What is added to an element changes the length of its list, or the keys of its map."""
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init, require

class S(Struct):
    xs: Annotated[list[Annotated[int, Range(0, 9)]], Capacity(4)]
    d: Annotated[dict[bool, Annotated[int, Range(0, 9)]], Capacity(2)]

@init
def start(b: bool) -> S:
    return S(xs=[1, 3, 2], d={True: 1} if b else {})

def grown(s: S) -> int:
    require(len(s.xs) < 4)
    s.xs.append(5)
    return 1

@action
def last(s: S) -> None:
    s.xs[-1] += grown(s)
spec = Spec(state=S, init=start, actions=[last])
