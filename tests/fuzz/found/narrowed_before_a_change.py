"""What a test told of a field was still believed where a call in the same expression, in a round
before, in a guard, or a target before had changed the field."""
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init, reachable, require

class P(Struct):
    f: Annotated[int, Range(0, 3)]

class Q(Struct):
    g: bool
    f: Annotated[int, Range(0, 3)]

class S(Struct):
    a: P | Q
    xs: Annotated[list[P | Q], Capacity(2)]
    n: Annotated[int, Range(0, 9)]

@init
def start(x: P | Q) -> S:
    return S(a=x, xs=[x, Q(True, 1)], n=0)

def change(s: S) -> int:
    s.a = Q(True, 3)
    return 1

@action
def beside(s: S) -> None:
    require(isinstance(s.a, P))
    s.n = change(s) + s.a.f

@action
def after_an_and(s: S) -> None:
    require(isinstance(s.a, P))
    s.n = (1 if s.n == 0 and change(s) == 1 else 2) + s.a.f

@action
def in_one_of_two(s: S) -> None:
    require(isinstance(s.a, P))
    s.n = (change(s) if s.n == 0 else 2) + s.a.f

@action
def in_a_round_before(s: S) -> None:
    require(isinstance(s.a, P))
    s.n = sum((s.a.f + change(s) for x in s.xs))

@action
def in_a_while(s: S) -> None:
    require(isinstance(s.a, P))
    i = 0
    while i < 2 and change(s) == 1:
        i += 1
    s.n = s.a.f

@action
def in_a_guard(s: S) -> None:
    require(isinstance(s.a, P))
    m = s.xs[0]
    match m:
        case P(x) if change(s) == x:
            s.n = 5
        case _:
            s.n = s.a.f

@action
def in_a_value(s: S) -> None:
    require(isinstance(s.a, P) and s.a.f == 0)
    s.xs[s.a.f % 2] = Q(True, change(s))

@action
def in_a_target_before(s: S) -> None:
    require(isinstance(s.a, P) and s.a.f == 0)
    s.a, s.xs[s.a.f % 2] = (Q(True, 1), P(2))

@reachable
def can(s: S) -> bool:
    return s.n == 7
spec = Spec(state=S, init=start, actions=[beside, after_an_and, in_one_of_two, in_a_round_before, in_a_while, in_a_guard, in_a_value, in_a_target_before], reachable=[can])
