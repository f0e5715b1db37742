"""A while binds no name: the check of symmetry goes through it as well."""
from typing import Annotated
from specmodel.lang import Capacity, Range, ScalarSet, Spec, Struct, action, init, invariant

class Node(ScalarSet, size=3, symmetric=True):
    pass

class S(Struct):
    who: Node
    d: Annotated[list[Annotated[int, Range(0, 7)]], Capacity(2)]

@init
def start(n: Node) -> S:
    return S(who=n, d=[0, 2])

@action
def act(s: S, r: Node) -> None:
    s.who = r

@invariant
def inv0(s: S) -> bool:
    n = 0
    while n < len(s.d):
        n += 1
    return n != 3
spec = Spec(state=S, init=start, actions=[act], invariants=[inv0])
