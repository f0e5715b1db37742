"""Two stores at once through a local list of the state."""
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=1):
    pass

class P(Struct):
    pass

class Q(Struct):
    f: Node
    g: Set[bool] | None
    h: bool

class S(Struct):
    a: Q
    c: Set[P]

@init
def start(n: Node) -> S:
    return S(a=Q(n, None, False), c={*()})

@action
def step(s: S) -> None:
    rest = [s, s]
    rest[1].a.g, rest[0].c = ({True}, s.c)
spec = Spec(state=S, init=start, actions=[step])
