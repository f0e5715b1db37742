"""A set that may be None is put into a set of sets."""

from specmodel.lang import Set, Spec, Struct, action, init


class S(Struct):
    c: Set[Set[bool]]
    d: Set[bool] | None


@init
def start(x: Set[bool]) -> S:
    return S(c={*()}, d=x)


@action
def act(s: S) -> None:
    o = s.d
    s.c |= {o}


spec = Spec(state=S, init=start, actions=[act])
