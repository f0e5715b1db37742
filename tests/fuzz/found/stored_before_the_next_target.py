"""Of two stores at once the first copies before the second changes what it copied."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=1):
    pass

class P(Struct):
    f: Annotated[list[Annotated[int, Range(0, 1)]], Capacity(4)]

class S(Struct):
    c: Annotated[list[Annotated[int, Range(-1, 1)]], Capacity(3)]
    d: dict[Node, P]

@init
def start() -> S:
    return S(c=[], d={r: P([]) for r in Node})

@action
def act(s: S) -> None:
    s.d[Node.nth(0)].f, s.c[0] = (s.c, 0)
spec = Spec(state=S, init=start, actions=[act])
