"""Python puts a map with None into a list of maps without: it looks at no type."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, reachable, require, require_some, strong, transition, weak

class S(Struct):
    a: dict[Annotated[int, Range(0, 2)], Annotated[int, Range(0, 0)] | None]

@init
def start() -> S:
    return S(a={k: 0 for k in range(3)})

@action
def act(s: S) -> None:
    xs = [{n: 0 for n in range(3)}]
    xs.append(s.a)
spec = Spec(state=S, init=start, actions=[act])
