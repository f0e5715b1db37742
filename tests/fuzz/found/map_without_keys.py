"""A map whose domain of keys is empty is read at a key that may be None, and always is."""
from specmodel.lang import ScalarSet, Spec, Struct, action, init

class Node(ScalarSet, size=0):
    pass

class S(Struct):
    n: Node | None
    m: dict[Node, bool]
    t: bool

@init
def start() -> S:
    return S(None, {}, False)

@action
def act(s: S) -> None:
    s.t = s.m[s.n]
spec = Spec(state=S, init=start, actions=[act])
