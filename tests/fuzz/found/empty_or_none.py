"""An empty list goes where a list of None does."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, init, invariant

class Node(ScalarSet, size=2):
    pass

class S(Struct):
    f: Annotated[list[Node | None], Capacity(2)]

@init
def start() -> S:
    return S(f=[None])

@action
def step(s: S) -> None:
    s.f = s.f if len(s.f) > 1 else ([] if s.f else [None])

@action
def more(s: S, n: Node) -> None:
    m = [None, None]
    m = []
    s.f = m + [n]
spec = Spec(state=S, init=start, actions=[step, more])
