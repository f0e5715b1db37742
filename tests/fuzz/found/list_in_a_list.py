"""A list in a local list is shortened by another name."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=1):
    pass

class P(Struct):
    f: Annotated[int, Range(0, 3)]
    g: Node = None

class S(Struct):
    who: Node
    a: Annotated[list[P], Capacity(3)]
    b: dict[Node, bool]

@init
def start(n: Node) -> S:
    return S(who=n, a=[], b={who: False for who in Node})

@action
def act(s: S) -> None:
    v = [s.b, s.b]
    xs = [v]
    del v[1:]
    if xs[len(xs) - 1][1][s.who]:
        pass

def inv0() -> bool:
    return s.b[s.who]

def inv1() -> bool:
    return int() >= sum()

def inv2() -> bool:
    return all()

def goal0() -> bool:
    pass
spec = Spec(state=S, init=start, actions=[act])
