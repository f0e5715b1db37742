"""A clock with minutes that may stand still, and be set back within an hour, refines one of hours.

The same as tests/oracle/Minutes.tla and Hours.tla, whose properties TLC has judged.
"""

from typing import Annotated

from specmodel.lang import (
    Range,
    Spec,
    Struct,
    action,
    always_eventually,
    eventually,
    eventually_always,
    init,
    leads_to,
    refines,
    require,
    strong,
    weak,
)

Third = Annotated[int, Range(0, 2)]


class Hours(Struct):
    """A clock with hours."""

    hour: Third


@init
def midnight() -> Hours:
    """The day begins."""
    return Hours(hour=0)


@action
def go_on(s: Hours, at: Third) -> None:
    """An hour has passed."""
    require(s.hour == at)
    s.hour = (s.hour + 1) % 3


@action
def leave_midnight(s: Hours) -> None:
    """The first hour has passed."""
    require(s.hour == 0)
    s.hour = 1


@always_eventually
def at_midnight(s: Hours) -> bool:
    """It is midnight again and again."""
    return s.hour == 0


@eventually_always
def stands_at_midnight(s: Hours) -> bool:
    """The clock stands still."""
    return s.hour == 0


@eventually
def at_one(s: Hours) -> bool:
    """The clock begins to go."""
    return s.hour == 1


def is_at(s: Hours, n: Third) -> bool:
    """An hour."""
    return s.hour == n


@leads_to(when=is_at)
def is_past(s: Hours, n: Third) -> bool:
    """The hour after it."""
    return s.hour == (n + 1) % 3


hours = Spec(state=Hours, init=midnight, actions=[go_on, leave_midnight])


class Minutes(Struct):
    """Hours and minutes, and whether the clock stands still."""

    hour: Third
    minute: Third
    stands: bool


@init
def start() -> Minutes:
    """The day begins."""
    return Minutes(hour=0, minute=0, stands=False)


@action
def tick(s: Minutes) -> None:
    """A minute within an hour."""
    require(not s.stands and s.minute < 2)
    s.minute += 1


@action
def strike(s: Minutes) -> None:
    """The last minute of an hour."""
    require(not s.stands and s.minute == 2)
    s.minute = 0
    s.hour = (s.hour + 1) % 3


@action
def stop(s: Minutes) -> None:
    """The clock stops."""
    require(not s.stands)
    s.stands = True


@action
def wind(s: Minutes) -> None:
    """The clock goes again."""
    require(s.stands)
    s.stands = False


@action
def set_back(s: Minutes) -> None:
    """Someone sets it back to the hour."""
    require(s.minute == 2)
    s.minute = 0


@refines(hours)
def steps(s: Minutes) -> Hours:
    """Every step."""
    return Hours(hour=s.hour)


@refines(hours.under(weak(go_on)))
def weak_pass(s: Minutes) -> Hours:
    """Weak fairness."""
    return Hours(hour=s.hour)


@refines(hours.under(weak(leave_midnight)))
def weak_first(s: Minutes) -> Hours:
    """Weak fairness of a part of the steps."""
    return Hours(hour=s.hour)


@refines(hours.under(strong(leave_midnight)))
def strong_first(s: Minutes) -> Hours:
    """Strong fairness of a part of the steps."""
    return Hours(hour=s.hour)


@refines(hours.adding(liveness=[at_midnight]))
def strikes(s: Minutes) -> Hours:
    """A temporal property of each kind."""
    return Hours(hour=s.hour)


@refines(hours.adding(liveness=[stands_at_midnight]))
def rests(s: Minutes) -> Hours:
    """In the end for ever."""
    return Hours(hour=s.hour)


@refines(hours.adding(liveness=[at_one]))
def moves(s: Minutes) -> Hours:
    """At some time."""
    return Hours(hour=s.hour)


@refines(hours.adding(liveness=[is_past]))
def follows(s: Minutes) -> Hours:
    """For each hour."""
    return Hours(hour=s.hour)


unfair = Spec(
    state=Minutes,
    init=start,
    actions=[tick, strike, stop, wind, set_back],
    transitions=[steps],
    liveness=[weak_pass, weak_first, strong_first, strikes, rests, moves, follows],
)
ticking = unfair.under("ticking", weak(tick, strike))
wound = ticking.adding("wound", fairness=[weak(wind)])
strongly = unfair.under("strongly", weak(wind), strong(tick, strike))
through = unfair.under("through", weak(wind), strong(tick), strong(strike))
