"""`xs = s.a; xs += ...` changes the list in place, and so the state."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Node(ScalarSet, size=1):
    pass

class S(Struct):
    a: Annotated[list[Node], Capacity(3)]

@init
def start() -> S:
    return S(a=[Node.nth(0)])

@action
def act(s: S) -> None:
    xs = s.a
    xs += s.a
spec = Spec(state=S, init=start, actions=[act])
