"""A counter at which one waits at a time, for tests of fairness."""

from specmodel.lang import (
    ScalarSet,
    Spec,
    Struct,
    action,
    init,
    leads_to,
    require,
    strong,
    weak,
)


class Turn(ScalarSet, size=2):
    """Who may wait."""


class Queue(Struct):
    """Who waits, if anyone does."""

    waiting: Turn | None


@init
def begun() -> Queue:
    """Nobody waits."""
    return Queue(waiting=None)


@action
def come(s: Queue, t: Turn) -> None:
    """Someone comes while nobody waits."""
    require(s.waiting is None)
    s.waiting = t


@action
def serve(s: Queue, t: Turn) -> None:
    """Who waits is served."""
    require(s.waiting == t)
    s.waiting = None


@action
def skip(s: Queue) -> None:
    """The counter does nothing for a while."""
    s.waiting = s.waiting


def waits(s: Queue, t: Turn) -> bool:
    """It is this one who waits."""
    return s.waiting == t


def gone(s: Queue, t: Turn) -> bool:
    """It is not this one who waits."""
    return s.waiting != t


@leads_to(when=waits)
def served(s: Queue, t: Turn) -> bool:
    """Who waits does not wait for ever."""
    return s.waiting != t


@leads_to(when=gone)
def has_a_turn(s: Queue, t: Turn) -> bool:
    """Everybody waits at some time."""
    return s.waiting == t


counter = Spec(
    name="counter",
    state=Queue,
    init=begun,
    actions=[come, serve, skip],
    liveness=[served, has_a_turn],
    fairness=[weak(serve, per="t"), weak(come)],
)

each_in_turn = counter.under("each_in_turn", weak(serve), strong(come, per="t"))
