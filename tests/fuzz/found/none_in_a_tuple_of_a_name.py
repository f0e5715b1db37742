"""A None in a tuple that a name is given is refused as in a list: Python checks no annotation."""
from typing import Annotated
from specmodel.lang import Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, pick, reachable, refines, require, require_some, strong, subsets, transition, values, weak

class S(Struct):
    b: Annotated[int, 0] | None

@init
def start() -> S:
    return S(b=None)

@invariant
def inv0(s: S) -> bool:
    i = s.b
    some: Set[tuple[Annotated[int, 0], Annotated[int, 0]]] = {(i, i)}
    return True
spec = Spec(state=S, init=start, actions=[], invariants=[inv0])
