"""A pick from None fails, whatever the choice, also where the pick is in a branch."""

from typing import Annotated

from specmodel.lang import Capacity, Range, Spec, Struct, action, init, pick


class S(Struct):
    c: Annotated[list[Annotated[int, Range(0, 1)]], Capacity(0)] | None


@init
def start() -> S:
    return S(c=None)


@action
def act(s: S) -> None:
    if s.c is None:
        got = pick(s.c)


spec = Spec(state=S, init=start, actions=[act])
