"""A part of a local list or map is stored there a second time, and changed through one of its places."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Spec, Struct, action, init

class Node(ScalarSet, size=2): pass
class P(Struct):
    n: Annotated[int, Range(0, 9)]
class S(Struct):
    w: Node
    m: dict[Node, P]

@init
def start(w: Node) -> S:
    return S(w, {n: P(0) for n in Node})

@action
def act(s: S) -> None:
    m = {n: P(1) for n in Node}
    m[Node.nth(0)] = m[s.w]
    m[s.w].n = 5
    s.m = m
spec = Spec(state=S, init=start, actions=[act])
