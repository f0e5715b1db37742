"""The number of sets of so many numbers does not fit into memory."""

from specmodel.lang import Spec, Struct, action, init, invariant


class S(Struct):
    b: bool


@init
def start() -> S:
    return S(b=False)


@action
def go(s: S):
    s.b = True


@invariant
def few(s: S) -> bool:
    return True if {{1099511627776}, set(), set()} else True


spec = Spec(state=S, init=start, actions=[go], invariants=[few])
