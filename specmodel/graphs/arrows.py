"""The messages of a trace as arrows: when each was sent, taken, lost or copied.

A step sends the messages that it adds to those in flight. It hands a message to a receiver if it
picks or removes the message, and changes the receiver's part of the state or sends a message from
the receiver. A receiver that has no part of the state takes a message if the step changes anything
else. A message that a step removes without handing it to anyone is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import field
from typing import Any, Literal

from specmodel.dataclass import dataclass
from specmodel.domains import Position
from specmodel.domains.records import Record
from specmodel.domains.sets import member
from specmodel.model.messages import Messages
from specmodel.results import Step, Trace
from specmodel.traces.notation import Notation


@dataclass(frozen=True)
class MessageArrow:
    """A message from a lifeline to another; the empty text for an unknown one.

    `sent` is the number of the state in which it is first in flight, `ended` that of the state in
    which it was taken or lost; None: it is in flight in the last state, and nobody has taken it.
    `again`: its receiver has taken the same copy before. `copied`: a step has copied the message,
    so that it arrives more often than it was sent.
    """

    text: str
    source: str
    target: str
    sent: int
    ended: int | None
    fate: Literal["taken", "lost", "flying"]
    again: bool = False
    copied: bool = False

    @property
    def history(self) -> str:
        """When the message was sent, and what is special about it, in words."""
        said = (
            ["taken again"] if self.again else [] if self.fate == "taken" else [_FATES[self.fate]]
        )
        since = "from the start" if self.sent == 1 else f"sent in {self.sent}"
        return ", ".join([since, *(["a copy"] if self.copied else []), *said])


_FATES = {"lost": "lost", "flying": "not taken by the end"}


@dataclass
class _Copy:
    """A copy of a message in flight: when it was sent, and who has taken it without removing it."""

    sent: int
    copied: bool
    takers: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Traffic:
    """The effect of a step on the messages in flight.

    `named` are those that its arguments pick, `removed` those that it removes, `sent` those that it
    adds, each once for each copy; `copies` are those that it adds because it picks the same one.
    """

    named: tuple[Record, ...] = ()
    removed: tuple[Record, ...] = ()
    sent: tuple[Record, ...] = ()
    copies: tuple[Record, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.named or self.removed or self.sent or self.copies)


def traffic(messages: Messages, step: Step, before: Any, after: Any) -> Traffic:
    """The traffic of a step between two states."""
    old, new = messages.counted(before), messages.counted(after)
    values = [v.picked if isinstance(v, Position) else v for v in step.arguments.values()]
    named = [member(value) for value in values if isinstance(value, Record)]
    named = [message for message in dict.fromkeys(named) if message in old]
    added = [m for m, count in new.items() for _ in range(count - old.get(m, 0))]
    return Traffic(
        tuple(named),
        tuple(m for m, count in old.items() for _ in range(count - new.get(m, 0))),
        tuple(message for message in added if message not in named),
        tuple(message for message in added if message in named),
    )


class ArrowsOfTrace:
    """Follows each copy of a message through a trace; `owners` are lifelines with own state."""

    def __init__(self, messages: Messages, notation: Notation, owners: Container[str]) -> None:
        self.messages = messages
        self.notation = notation
        self.owners = owners
        self.flying: dict[Record, deque[_Copy]] = {}

    def arrows(
        self, trace: Trace, steps: Sequence[Traffic], changed: Sequence[Sequence[str]]
    ) -> Iterator[MessageArrow]:
        """The arrows in the order in which they end; `changed` are the lifelines of each step.

        A lifeline is that of an actor, or empty for the part of the state that has no actor.
        """
        for message, count in self.messages.counted(trace.states[0]).items():
            self._send(message, 1, False, count)
        for number, (step, touched) in enumerate(zip(steps, changed, strict=True), start=2):
            speakers = [name for message in step.sent for name in self._sources(message)]
            active = list(dict.fromkeys([*touched, *speakers]))
            for message in dict.fromkeys([*step.named, *step.removed]):
                yield from self._taken(message, number, step.removed.count(message), active)
            for message in step.sent:
                self._send(message, number, False, 1)
            for message in step.copies:
                first = self.flying[message][0].sent if self.flying.get(message) else number
                self._send(message, first, True, 1)
        for message, copies in self.flying.items():
            for copy in copies:
                if not copy.takers:
                    for target in self._targets(message) or [""]:
                        yield self._arrow(message, copy, target, None, "flying")

    def _send(self, message: Record, number: int, copied: bool, count: int) -> None:
        held = self.flying.setdefault(message, deque())
        held.extend(_Copy(number, copied) for _ in range(count))

    def _taken(
        self, message: Record, number: int, removed: int, active: Sequence[str]
    ) -> Iterator[MessageArrow]:
        """The arrows of the copies that a step picks or removes."""
        named = self._targets(message)
        if named:
            takers = [n for n in named if n in active or (active and n not in self.owners)]
        else:
            takers = [name for name in active if name] or list(active)
        held = self.flying[message]
        for copy in list(held)[: max(1, removed)]:
            for target in takers:
                yield self._arrow(message, copy, target, number, "taken")
            if removed and not takers and not copy.takers:
                for target in named or [""]:
                    yield self._arrow(message, copy, target, number, "lost")
            copy.takers += takers
        for _ in range(removed):
            held.popleft()

    def _arrow(
        self,
        message: Record,
        copy: _Copy,
        target: str,
        ended: int | None,
        fate: Literal["taken", "lost", "flying"],
    ) -> MessageArrow:
        text = self.notation.without(message, self.messages.ends(message))
        source = next(iter(self._sources(message)), "")
        again = fate == "taken" and target in copy.takers
        return MessageArrow(text, source, target, copy.sent, ended, fate, again, copy.copied)

    def _sources(self, message: Record) -> list[str]:
        sources, _ = self.messages.from_to(message)
        return list(map(repr, sources)) or [""]

    def _targets(self, message: Record) -> list[str]:
        _, targets = self.messages.from_to(message)
        return list(map(repr, targets))
