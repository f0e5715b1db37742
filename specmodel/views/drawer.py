"""Makes pictures of states from the lanes of their spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from specmodel.dataclass import dataclass
from specmodel.domains.records import Record
from specmodel.domains.sets import rank
from specmodel.domains.shapes import is_mapping, is_sequence, is_set
from specmodel.model.lanes import Lanes, Place, titled
from specmodel.model.messages import Messages
from specmodel.model.model import Model
from specmodel.model.places import inferred_lanes, refuse_unfit_lanes, value_at
from specmodel.results import Trace
from specmodel.traces.notation import Notation
from specmodel.views.drawing import ActorRow, Cell, Cursor, Fact, Flight, Picture, Request

HERE, ABSENT = "yes", "-"
"""The value of a fact about a set's members."""


@dataclass(frozen=True)
class _Actor:
    """The values that the lanes read of one actor. Values without a lane are None."""

    actor: Any
    log: Sequence[Any]
    high_watermark: int | None
    epoch: int | None
    leader: Any
    isr: Any

    @property
    def leads(self) -> bool:
        return self.leader is self.actor


class Drawer:
    """Draws states of one spec. Raises SpecError if its lanes do not fit its state.

    A spec without lanes is drawn by `inferred_lanes`.
    """

    def __init__(self, spec: Model, notation: Notation | None = None) -> None:
        if spec.lanes is not None:
            refuse_unfit_lanes(spec.domain, spec.lanes)
        self.lanes: Lanes | None = spec.lanes or inferred_lanes(spec.domain)
        self.messages = Messages.of(spec.domain, self.lanes) if self.lanes else None
        self.notation = notation or Notation.of_spec(spec)

    def pictures(self, trace: Trace) -> Iterator[Picture]:
        """Every state of a trace; values that are new in a state are marked."""
        for number, state in enumerate(trace.states, start=1):
            yield self.picture(state, trace.states[number - 2] if number > 1 else None, number)

    def picture(self, state: Any, previous: Any | None = None, number: int = 1) -> Picture:
        """A state; values that differ from the previous state, if there is one, are marked."""
        before = state if previous is None else previous
        if self.lanes is None:
            return Picture(number, (), 0, status=tuple(self._variables(state, before)))
        actors, olds = self._actors(self.lanes, state), self._actors(self.lanes, before)
        reference = _reference(actors, bool(self.lanes.epoch))
        rows = tuple(
            self._row(self.lanes, state, before, actor, old, actors, reference)
            for actor, old in zip(actors, olds, strict=True)
        )
        return Picture(
            number,
            rows,
            max((len(row.cells) for row in rows), default=0),
            tuple(self._cursors(self.lanes, state, before)),
            tuple(self._requests(self.lanes, state, before)),
            tuple(self._status(self.lanes, state, before)),
            self._flights(state, before),
        )

    def _actors(self, lanes: Lanes, state: Any) -> list[_Actor]:
        found: list[_Actor] = []
        for actor in lanes.actor:
            log = value_at(state, lanes.log, actor) if lanes.log else ()
            found.append(
                _Actor(
                    actor,
                    log if is_sequence(log) else (),
                    _whole(value_at(state, lanes.high_watermark, actor)),
                    _whole(value_at(state, lanes.epoch, actor)),
                    value_at(state, lanes.leader, actor),
                    value_at(state, lanes.isr, actor),
                )
            )
        return found

    def _row(
        self,
        lanes: Lanes,
        state: Any,
        before: Any,
        actor: _Actor,
        old: _Actor,
        actors: list[_Actor],
        reference: _Actor | None,
    ) -> ActorRow:
        divergence = None
        if reference is not None and reference is not actor:
            same = common(actor.log, reference.log)
            if same < min(len(actor.log), len(reference.log)):
                divergence = same
        kept = common(old.log, actor.log)
        leads: Literal["", "leader", "stale"] = ""
        if actor.leads:
            leads = "stale" if _stale(actor, actors) else "leader"
        facts = (
            *self._known(lanes, actor, old, leads),
            *self._facts(lanes, state, before, actor.actor),
        )
        return ActorRow(
            repr(actor.actor),
            tuple(self._cells(lanes, actor, old, divergence)),
            len(actor.log),
            kept if kept < len(old.log) else None,
            actor.high_watermark,
            actor.epoch,
            leads,
            "" if actor.leader is None else self.notation.value(actor.leader),
            tuple(map(self.notation.value, actor.isr)) if is_set(actor.isr) else None,
            facts,
            tuple(_reception(epoch, actor.epoch) for epoch, _ in _announced(lanes, state)),
            divergence,
            "" if divergence is None or reference is None else repr(reference.actor),
        )

    def _cells(
        self, lanes: Lanes, actor: _Actor, old: _Actor, divergence: int | None
    ) -> Iterator[Cell]:
        mark = actor.high_watermark or 0
        for offset, record in enumerate(actor.log):
            fresh = offset >= len(old.log) or old.log[offset] != record
            yield Cell(
                self.notation.record(record, lanes.cell),
                _whole(getattr(record, lanes.shade, None)) if lanes.shade else None,
                "new" if fresh else "",
                offset < mark,
                offset == divergence,
            )
        for record in old.log[len(actor.log) :]:
            shade = _whole(getattr(record, lanes.shade, None)) if lanes.shade else None
            text = self.notation.record(record, lanes.cell)
            yield Cell(text, shade, "truncated", False, False)

    def _known(self, lanes: Lanes, actor: _Actor, old: _Actor, leads: str) -> Iterator[Fact]:
        """The facts of an actor that every protocol of leaders and logs has."""
        write = self._written
        if lanes.high_watermark:
            now, then = write(actor.high_watermark), write(old.high_watermark)
            yield Fact("hw", now, then, "high_watermark")
        if lanes.epoch:
            yield Fact("epoch", write(actor.epoch), write(old.epoch), "epoch")
        if lanes.leader:
            now = "leader (stale)" if leads == "stale" else self._part(actor)
            then = now if actor.leader is old.leader else self._part(old)
            yield Fact("role", now, then, "leader")
        if lanes.isr:
            yield Fact("isr", write(actor.isr), write(old.isr), "isr")

    def _written(self, value: Any) -> str:
        return ABSENT if value is None else self.notation.phrase(value)

    def _part(self, actor: _Actor) -> str:
        if actor.leads:
            return "leader"
        return "-" if actor.leader is None else f"follows {self.notation.value(actor.leader)}"

    def _facts(self, lanes: Lanes, state: Any, before: Any, actor: Any) -> Iterator[Fact]:
        def fact(title: str, place: Place, kind: str) -> Fact:
            now, then = (value_at(s, place, actor) for s in (state, before))
            return Fact(title, self._written(now), self._written(then), kind)

        if lanes.role:
            yield fact(lanes.role if isinstance(lanes.role, str) else "role", lanes.role, "role")
        for title, place in titled(lanes.facts).items():
            yield fact(title, place, "")
        for title, place in titled(lanes.members).items():
            now, then = (_among(actor, value_at(s, place)) for s in (state, before))
            yield Fact(title, now, then, "members")

    # The shared part of the state

    def _cursors(self, lanes: Lanes, state: Any, before: Any) -> Iterator[Cursor]:
        for title, place in titled(lanes.cursors).items():
            now, then = _whole(value_at(state, place)), _whole(value_at(before, place))
            yield Cursor(title, now, then)

    def _requests(self, lanes: Lanes, state: Any, before: Any) -> Iterator[Request]:
        old = dict(_announced(lanes, before))
        for epoch, request in _announced(lanes, state):
            yield Request(epoch, self.notation.phrase(request), old.get(epoch) != request)

    def _status(self, lanes: Lanes, state: Any, before: Any) -> Iterator[Fact]:
        for title, place in titled(lanes.status).items():
            if self.messages and place in self.messages.paths:
                continue  # the messages are drawn one by one
            now, then = (self.notation.phrase(value_at(s, place)) for s in (state, before))
            yield Fact(title, now, then)

    def _flights(self, state: Any, before: Any) -> tuple[Flight, ...] | None:
        """The messages in flight: first those without a sender, then by sender and receiver."""
        if self.messages is None:
            return None
        messages = self.messages
        now, then = messages.counted(state), messages.counted(before)
        found: list[Flight] = []
        for message in sorted(now, key=lambda message: rank(messages.from_to(message))):
            text = self.notation.without(message, messages.ends(message))
            sources, targets = (tuple(map(repr, ends)) for ends in messages.from_to(message))
            found.append(Flight(text, sources, targets, now[message], then.get(message, 0)))
        return tuple(found)

    def _variables(self, state: Record, before: Record) -> Iterator[Fact]:
        write = self.notation.phrase
        for name, held in vars(state).items():
            yield Fact(name, write(held), write(getattr(before, name)))


def common(left: Sequence[Any], right: Sequence[Any]) -> int:
    """The length of the common prefix."""
    for position, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return position
    return min(len(left), len(right))


def _whole(value: Any) -> int | None:
    return value if type(value) is int else None


def _among(actor: Any, members: Any) -> str:
    return HERE if is_set(members) and actor in members else ABSENT


def _reference(actors: list[_Actor], epochs: bool) -> _Actor | None:
    """The leader of the newest epoch, with whose log the others are compared."""
    leaders = [actor for actor in actors if actor.leads]
    if not leaders or not epochs:
        return leaders[0] if len(leaders) == 1 else None
    return max(leaders, key=_epoch)


def _epoch(actor: _Actor) -> int:
    return -1 if actor.epoch is None else actor.epoch


def _stale(actor: _Actor, actors: list[_Actor]) -> bool:
    return any(_epoch(other) > _epoch(actor) for other in actors if other.leads)


def _announced(lanes: Lanes, state: Any) -> list[tuple[int, Any]]:
    """The requests that exist, by epoch."""
    held = value_at(state, lanes.requests)
    if not is_mapping(held):
        return []
    return [(epoch, request) for epoch, request in held.items() if request is not None]


def _reception(epoch: int, known: int | None) -> Literal["pending", "accepted", "stale"]:
    if known is None or epoch > known:
        return "pending"
    return "accepted" if epoch == known else "stale"
