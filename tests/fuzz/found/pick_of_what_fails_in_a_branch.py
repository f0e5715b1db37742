"""The collection of a pick is evaluated where no value of it is picked too: it may fail."""
from typing import Annotated
from specmodel.lang import Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, always_eventually, constant, constraint, eventually, eventually_always, init, invariant, leads_to, pick, reachable, refines, require, require_some, strong, subsets, transition, values, weak

class Key(ScalarSet, size=0):
    pass

class P(Struct):
    f: Annotated[list[Key], Capacity(1)]

class S(Struct):
    a: P
    d: dict[Key, P]

@init
def start(x: P) -> S:
    return S(a=x, d={m: 0 for m in Key})

@action
def act(s: S) -> None:
    if 0:
        pass
    else:
        gained = pick(s.d[s.a.f[0]].f)
spec = Spec(state=S, init=start, actions=[act])
