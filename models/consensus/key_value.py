"""What clients of a replicated value ask for and see, and when that is linearizable.

Source: Maurice Herlihy and Jeannette Wing, Linearizability: A Correctness Condition for Concurrent
Objects (1990); the module MultiPaxos_MC of tlaplus/Examples.
"""

from __future__ import annotations

from typing import Annotated

from specmodel.lang import Capacity, Range, ScalarSet, Struct, constant, values

writes = constant("writes", 1, low=1, high=3, doc="write commands, each of a value of its own")
reads = constant("reads", 1, low=1, high=2, doc="read commands")

commands = writes + reads


class Write(ScalarSet, size=writes):
    """A command that writes a value: the command stands for its value too."""


class Read(ScalarSet, size=reads):
    """A command that reads the value."""


Command = Write | Read

COMMANDS = (*Write, *Read)
"""All commands, in the order in which clients send them."""


class Asked(Struct):
    """A client has asked for a command."""

    command: Command


class Answered(Struct):
    """A client learns that its command was run, and the value before it."""

    command: Command
    value: Write | None


Event = Asked | Answered
History = Annotated[list[Event], Capacity(2 * commands)]


class Order(Struct):
    """A place for each command."""

    place: dict[Command, Annotated[int, Range(1, commands)]]


ORDERS = {order for order in values(Order) if len({order.place[c] for c in COMMANDS}) == commands}
"""Every order in which the commands may have been run, one after the other."""


def asked(history: History, c: Command) -> bool:
    """A client has asked for a command."""
    return any(isinstance(e, Asked) and e.command == c for e in history)


def answered(history: History, c: Command) -> bool:
    """A client has its answer."""
    return any(isinstance(e, Answered) and e.command == c for e in history)


def is_linearizable(history: History) -> bool:
    """Some order explains all answers and keeps what was answered before it was asked for next."""
    return any(explains_answers(history, order) and keeps_time(history, order) for order in ORDERS)


def explains_answers(history: History, order: Order) -> bool:
    """Every answer is what was written last before it."""
    return all(
        e.value == written_before(order, e.command) for e in history if isinstance(e, Answered)
    )


def written_before(order: Order, c: Command) -> Write | None:
    """What the last write before a command has written."""
    return max(
        (w for w in Write if order.place[w] < order.place[c]),
        key=lambda w: order.place[w],
        default=None,
    )


def keeps_time(history: History, order: Order) -> bool:
    """A command that was answered before another was asked for comes before it."""
    return all(
        order.place[c] < order.place[d]
        for c in COMMANDS
        for d in COMMANDS
        if answered_before(history, c, d)
    )


def answered_before(history: History, first: Command, second: Command) -> bool:
    """A command was answered before another was asked for."""
    return any(
        isinstance(e, Answered) and e.command == first and asked(history[at:], second)
        for at, e in enumerate(history)
    )
