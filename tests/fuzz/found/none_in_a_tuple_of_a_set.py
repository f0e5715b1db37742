"""A set of tuples with None in them is compared with another one, member by member."""
from typing import Annotated
from specmodel.lang import Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, pick, reachable, refines, require, require_some, strong, subsets, transition, values, weak

class Node(ScalarSet, size=3):
    pass

class P(Struct):
    f: Node
    g: Set[tuple[Annotated[int, 0], Node | None]]

class S(Struct):
    c: Annotated[list[P], 0]

@init
def start() -> S:
    return S(c=[])

@action
def act(s: S) -> None:
    if {(1, None)} == set():
        got = pick(s.c)
    s.c[0] = P(Node.nth(1), {(1, None)})
spec = Spec(state=S, init=start, actions=[act])
