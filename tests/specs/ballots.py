"""Numbers that are only compared, up to a constant; and specs that do more with them."""

from typing import Annotated

from specmodel.lang import Range, Spec, Struct, action, constant, init, invariant, require

last = constant("last", 1, low=1, high=20, doc="the last ballot")
wide = constant("wide", 2, low=1, high=20, doc="how many seats")

Ballot = Annotated[int, Range(0, last)]
Maybe = Annotated[int, Range(-1, last)]


class Room(Struct):
    a: Maybe
    b: Maybe
    c: Maybe
    said: dict[Ballot, bool]
    seats: Annotated[int, Range(0, wide)]


@init
def empty() -> Room:
    return Room(a=-1, b=-1, c=-1, said={ballot: False for ballot in range(last + 1)}, seats=0)


@action
def take_a(s: Room, ballot: Ballot) -> None:
    s.a = ballot


@action
def take_b(s: Room, ballot: Ballot) -> None:
    s.b = ballot


@action
def take_c(s: Room, ballot: Ballot) -> None:
    require(not (s.a < s.b and s.b < ballot))
    s.c = ballot


@action
def say(s: Room) -> None:
    require(s.a >= 0)
    s.said[s.a] = True


@action
def move_on(s: Room) -> None:
    require(s.a < last)
    s.a += 1
    s.said[s.a] = False


@invariant
def no_climb(s: Room) -> bool:
    """False from three different ballots on."""
    return not (s.a >= 0 and s.a < s.b and s.b < s.c)


@invariant
def none_said(s: Room) -> bool:
    return all(not said for said in s.said.values())


@invariant
def some_said(s: Room) -> bool:
    return any(said for said in s.said.values())


@invariant
def known(s: Room) -> bool:
    return s.a <= last and s.b <= last


@action
def jump(s: Room) -> None:
    require(s.a + 2 <= last)
    s.a += 2


@action
def sit(s: Room) -> None:
    require(s.seats < wide)
    s.seats = s.a if s.a > 0 else 0


@action
def by_number(s: Room) -> None:
    require(s.a == 1)
    s.b = s.a


ballots = Spec(
    name="ballots",
    state=Room,
    init=empty,
    actions=[take_a, take_b, take_c, say, move_on],
    invariants=[no_climb, none_said, some_said, known],
)
jumping = ballots.adding("jumping", actions=[jump])
sitting = ballots.adding("sitting", actions=[sit])
numbered = ballots.adding("numbered", actions=[by_number])
