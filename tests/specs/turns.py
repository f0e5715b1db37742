"""Small specs for proofs: two take turns at a door; a light goes round; a jar that overflows."""

from typing import Annotated

from specmodel.lang import (
    Range,
    Spec,
    Struct,
    action,
    constraint,
    init,
    invariant,
    reachable,
    require,
    transition,
)


class Door(Struct):
    turn: Annotated[int, Range(0, 1)]
    inside: dict[Annotated[int, Range(0, 1)], bool]
    entered: Annotated[int, Range(0, 3)]
    light: Annotated[int, Range(0, 4)]


@init
def closed() -> Door:
    return Door(turn=0, inside={0: False, 1: False}, entered=0, light=0)


@action
def enter(s: Door, who: Annotated[int, Range(0, 1)]) -> None:
    require(s.turn == who and not s.inside[who])
    s.inside[who] = True


@action
def leave(s: Door, who: Annotated[int, Range(0, 1)]) -> None:
    require(s.inside[who])
    s.inside[who] = False
    s.turn = 1 - who


@action
def barge_in(s: Door, who: Annotated[int, Range(0, 1)]) -> None:
    require(not s.inside[who])
    s.inside[who] = True


@action
def count(s: Door) -> None:
    s.entered += 1


@action
def shine(s: Door) -> None:
    """0, 1, 2, and back; 3 leads to 4, and neither can be come to."""
    s.light = 0 if s.light == 2 else (4 if s.light >= 3 else s.light + 1)
    require(s.light != 3)


@invariant
def one_inside(s: Door) -> bool:
    return not (s.inside[0] and s.inside[1])


@invariant
def only_in_turn(s: Door) -> bool:
    return all(s.turn == who for who in range(2) if s.inside[who])


@invariant
def never_off(s: Door) -> bool:
    return s.light != 4


@invariant
def not_three(s: Door) -> bool:
    return s.light != 3


@invariant
def light_low(s: Door) -> bool:
    return s.light <= 1


@invariant
def few(s: Door) -> bool:
    return s.entered <= 2


@transition
def next_is_outside(before: Door, after: Door) -> bool:
    return before.turn == after.turn or not after.inside[after.turn]


@reachable
def somebody(s: Door) -> bool:
    return s.inside[0]


@constraint
def not_many(s: Door) -> bool:
    return s.entered < 2


turns = Spec(
    name="turns",
    state=Door,
    init=closed,
    actions=[enter, leave, shine],
    invariants=[one_inside, only_in_turn, never_off, not_three],
    transitions=[next_is_outside],
    reachable=[somebody],
)
lamp = Spec(
    name="lamp", state=Door, init=closed, actions=[shine], invariants=[never_off, light_low]
)
barging = turns.adding("barging", actions=[barge_in])
overflowing = turns.adding("overflowing", actions=[count])
bounded = overflowing.adding("bounded", constraints=[not_many], invariants=[few])
