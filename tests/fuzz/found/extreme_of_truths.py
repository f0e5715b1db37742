"""Max of truths is a truth."""
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init, ScalarSet, require_some
class Node(ScalarSet, size=2): pass
class S(Struct):
    x: Annotated[int, Range(0,3)]
    on: bool
    m: dict[Node, Annotated[int, Range(0,3)] | None]
@init
def start() -> S:
    return S(0, False, {n: None for n in Node})
@action
def step(s: S, n: Node) -> None:
    s.x = max((b for b in (s.on, not s.on)), default=0)
    s.m[n] = s.x
@action
def top(s: S) -> None:
    s.x = max((s.m[n] for n in Node if s.m[n] is not None), default=2)
    s.x = min(3, max(require_some(s.m[n]) for n in Node))
spec = Spec(state=S, init=start, actions=[step, top])
