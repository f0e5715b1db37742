"""A loop appends to the list that it runs over."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class Key(ScalarSet, size=1):
    pass

class S(Struct):
    b: Annotated[list[Key], Capacity(4)]

@init
def start() -> S:
    return S(b=[])

@action
def act(s: S) -> None:
    for m in s.b:
        if len(s.b) < 4:
            s.b.append(m)
spec = Spec(state=S, init=start, actions=[act])
