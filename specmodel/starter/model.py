"""Writers take leases in turn; a store must not let one whose lease was given on write late.

A lease runs out without its holder noticing, and the next writer gets one. Each lease has a number,
a fencing token, one higher than the last; writes carry it.
"""

from typing import Annotated

from specmodel.lang import (
    Range,
    ScalarSet,
    Spec,
    Struct,
    action,
    constant,
    init,
    reachable,
    require,
    transition,
)

leases = constant("leases", 3, low=1, high=6, doc="how many leases are given")


class Writer(ScalarSet, size=2, symmetric=True):
    """A client that writes to the store."""


Token = Annotated[int, Range(0, leases)]


class State(Struct):
    """The whole state. Token 0 stands for no lease, and for no write."""

    given: Token
    held: dict[Writer, Token]
    written: Token


@init
def empty() -> State:
    """No lease was given, nothing is written."""
    return State(given=0, held={w: 0 for w in Writer}, written=0)


@action
def lease(s: State, w: Writer) -> None:
    """A writer gets the next lease; who held the last one is not told."""
    require(s.given < leases)
    s.given += 1
    s.held[w] = s.given


@action
def write(s: State, w: Writer) -> None:
    """A writer that believes to hold a lease writes, and the store takes it."""
    require(s.held[w] > 0)
    s.written = s.held[w]


@action
def write_fenced(s: State, w: Writer) -> None:
    """The store takes a write only if it has seen none under a later lease."""
    require(s.held[w] > 0)
    require(s.held[w] >= s.written)
    s.written = s.held[w]


@transition
def in_order(before: State, after: State) -> bool:
    """A value written under a later lease is not overwritten under an earlier one."""
    return after.written >= before.written


@reachable
def overtaken(s: State) -> bool:
    """Some writer still believes in a lease after a later one was written under."""
    return any(s.held[w] > 0 and s.held[w] < s.written for w in Writer)


NAME_unfenced = Spec(
    state=State, init=empty, actions=[lease, write], transitions=[in_order], reachable=[overtaken]
)
NAME = NAME_unfenced.replacing(write=write_fenced)
