"""A trace as a message-sequence chart: a lifeline for each actor, an event for each step.

Messages in flight have arrows from the step that sends them to the step that takes them. Of a step
without messages, the changes show who speaks to whom at once: of the actors that the step names,
those whose part of the state is unchanged are senders, and those whose part is changed receivers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from specmodel.dataclass import dataclass
from specmodel.domains import MapDomain, Position, ScalarDomain, SparseMapDomain, StructDomain
from specmodel.domains.records import Record
from specmodel.graphs.arrows import ArrowsOfTrace, MessageArrow, Traffic, traffic
from specmodel.model.model import Model
from specmodel.results import Step, Trace
from specmodel.traces.changes import Change, changes
from specmodel.views.drawer import Drawer
from specmodel.views.symbols import UNICODE
from specmodel.views.trace import said

SHARED = "shared"
"""The lifeline of the part of the state that belongs to no actor, such as a controller's record."""

_INDEX = re.compile(r"^[^.\[]*\[([^\]]+)\]")


@dataclass(frozen=True)
class Event:
    """A step. Its number is that of the state that it leads to.

    `kind`: "message" goes from `source` to each of `targets`; "local" happens at the targets.
    `changes` are its changes, as text.
    """

    number: int
    action: str
    label: str
    kind: Literal["message", "local"]
    source: str
    targets: tuple[str, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Leadership:
    """An actor leads from one state to another (their numbers), under an epoch if it has one."""

    lifeline: str
    first: int
    last: int
    epoch: int | None
    stale: bool


@dataclass(frozen=True)
class Chart:
    """A chart of a trace of `length` states.

    `loop` is the number of the state to which it returns; the event that returns has the number
    after the last. `messages` are those in flight, with the
    names of lifelines as their ends.
    """

    title: str
    lifelines: tuple[str, ...]
    events: tuple[Event, ...]
    leaderships: tuple[Leadership, ...]
    length: int
    violated: str = ""
    loop: int | None = None
    messages: tuple[MessageArrow, ...] = ()

    @property
    def claim(self) -> str:
        """The violated property, and the state that violates it."""
        if self.loop is not None:
            return f"{self.violated} is false of this behaviour"
        return f"{self.violated} is false after step {self.length}"

    def named(self, number: int) -> str:
        """The number of a state as a text: the state after the last is the one returned to."""
        return f"→{self.loop}" if number > self.length else str(number)


def chart(spec: Model, trace: Trace, title: str, violated: str = "") -> Chart:
    """The chart of a trace. A `violated` property is violated in its last state, or by all of it.

    The step that returns to the start of a cycle is the last event.
    """
    drawer = Drawer(spec)
    reader = _StepReader(drawer, spec.domain)
    events = tuple(
        reader.event(number, step, *trace.states[number - 2 : number])
        for number, step in enumerate(trace.steps, start=2)
    )
    arrows = tuple(reader.arrows(trace))
    if trace.loop is not None and trace.back is not None:
        ends = trace.states[-1], trace.states[trace.loop]
        events += (reader.event(trace.length + 1, trace.back, *ends),)
    ends = [name for arrow in arrows for name in (arrow.source, arrow.target)]
    met = {name for event in events for name in (event.source, *event.targets)}.union(ends)
    others = [name for name in reader.others if name in met]
    shared = [SHARED] if SHARED in met or not reader.actors else []
    return Chart(
        title,
        (*reader.actors, *others, *shared),
        events,
        tuple(_leaderships(drawer, trace)),
        trace.length,
        violated,
        None if trace.loop is None else trace.loop + 1,
        arrows,
    )


class _StepReader:
    """Reads the steps of a trace; notes their messages for the arrows."""

    def __init__(self, drawer: Drawer, domain: StructDomain) -> None:
        self.notation = drawer.notation
        self.messages = drawer.messages
        self.members = tuple(drawer.lanes.actor) if drawer.lanes else ()
        self.actors = tuple(map(repr, self.members))
        self.others = self.messages.others if self.messages else ()
        self.lifelines = {*self.actors, *self.others}
        maps = [part for part in domain.nested() if isinstance(part, MapDomain | SparseMapDomain)]
        owners = {
            repr(m) for part in maps if isinstance(part.key, ScalarDomain) for m in part.key.members
        }
        self.owners = {*self.actors, *(owners & self.lifelines)}
        self.traffic: list[Traffic] = []
        self.touched: list[list[str]] = []

    def event(self, number: int, step: Step, before: Any, after: Any) -> Event:
        """The event of a step that leads to the state of a number."""
        found = list(changes(before, after))
        own = [c for c in found if not (self.messages and self.messages.hold(c.path))]
        touched = list(dict.fromkeys(map(self._lifeline, own)))
        sent = traffic(self.messages, step, before, after) if self.messages else Traffic()
        self.traffic.append(sent)
        self.touched.append(touched)
        named = [repr(value) for value in step.arguments.values() if value in self.members]
        receivers = [name for name in named if name in touched]
        senders = [name for name in named if name not in touched]
        if sent:
            targets = touched or self._speakers(sent)
        elif receivers and senders:
            receivers = list(dict.fromkeys(receivers))
            return self._event(number, step, found, senders[0], receivers)
        else:
            targets = touched or named[:1] or [SHARED]
        return self._event(number, step, found, "", targets)

    def _event(
        self,
        number: int,
        step: Step,
        found: Sequence[Change],
        source: str,
        targets: Sequence[str],
    ) -> Event:
        texts = tuple(f"{c.path}  {said(c, self.notation, UNICODE)}" for c in found)
        kind = "message" if source else "local"
        label = self._label(step)
        return Event(number, step.action, label, kind, source, tuple(targets), texts)

    def _lifeline(self, change: Change) -> str:
        index = _INDEX.match(change.path)
        return index[1] if index and index[1] in self.lifelines else SHARED

    def _speakers(self, sent: Traffic) -> list[str]:
        """The place of a step that changes only messages: at their senders."""
        assert self.messages is not None
        ends = [self.messages.from_to(message)[0] for message in sent.sent]
        return list(dict.fromkeys(repr(each) for held in ends for each in held)) or [SHARED]

    def _label(self, step: Step) -> str:
        """A step with the kinds of the messages that it picks: their arrows have the payload."""
        kinds = self.messages.kinds if self.messages else ()
        inner: list[str] = []
        for name, value in step.arguments.items():
            held = value.picked if isinstance(value, Position) else value
            known = isinstance(held, Record) and held.__domain__.cls in kinds
            inner.append(f"{name}={type(held).__name__ if known else self.notation.value(value)}")
        return f"{step.action}({', '.join(inner)})"

    def arrows(self, trace: Trace) -> Iterator[MessageArrow]:
        """The arrows of the messages, after all events are read; an unknown end is `shared`."""
        if self.messages is None:
            return
        tracking = ArrowsOfTrace(self.messages, self.notation, self.owners)
        touched = [["" if n == SHARED else n for n in names] for names in self.touched]
        for arrow in tracking.arrows(trace, self.traffic, touched):
            taken = arrow.fate == "taken"
            target = arrow.target or (SHARED if taken else "")
            yield replace(arrow, source=arrow.source or SHARED, target=target)


def _leaderships(drawer: Drawer, trace: Trace) -> Iterator[Leadership]:
    """The times at which each actor leads, its epoch, and whether others are in a later one."""
    runs: dict[str, Leadership] = {}
    for picture in drawer.pictures(trace):
        for row in picture.rows:
            run = runs.get(row.actor)
            stale = row.leads == "stale"
            if run and (not row.leads or (run.epoch, run.stale) != (row.epoch, stale)):
                yield runs.pop(row.actor)
                run = None
            if row.leads:
                first = run.first if run else picture.number
                runs[row.actor] = Leadership(row.actor, first, picture.number, row.epoch, stale)
    yield from runs.values()


def mermaid(found: Chart) -> str:
    """The chart as a Mermaid sequence diagram."""
    lines = ["sequenceDiagram"]
    lines += [f"  participant {name}" for name in found.lifelines]
    for event in found.events:
        label = f"{found.named(event.number)}. {event.label}".replace(";", ",").replace("#", "")
        if found.loop is not None and event.number == found.loop + 1:
            lines.append("  loop for ever")
        if event.kind == "message":
            lines += [f"  {event.source}->>{target}: {label}" for target in event.targets]
        else:
            ends = event.targets if len(event.targets) == 1 else _span(found, event)
            lines.append(f"  Note over {','.join(ends)}: {label}")
        lines += _mermaid_arrows(found, event.number)
    lines += _mermaid_arrows(found, None)
    if found.loop is not None and found.loop < found.length:
        lines.append("  end")
    if found.violated:
        over = ",".join(dict.fromkeys((found.lifelines[0], found.lifelines[-1])))
        lines.append(f"  Note over {over}: {found.claim}")
    return "\n".join(lines) + "\n"


_MERMAID = {"taken": "->>", "lost": "-x", "flying": "--)"}


def _mermaid_arrows(found: Chart, number: int | None) -> Iterator[str]:
    """The arrows that end in a state: time has no length, so each tells when it was sent."""
    for arrow in found.messages:
        if arrow.ended == number:
            target = arrow.target or arrow.source
            said = f"{arrow.text} ({arrow.history})"
            line = f"  {arrow.source}{_MERMAID[arrow.fate]}{target}: {said}"
            yield line.replace(";", ",").replace("#", "")


def _span(found: Chart, event: Event) -> tuple[str, ...]:
    """The outermost lifelines of an event: a note covers all between two."""
    places = sorted(found.lifelines.index(name) for name in event.targets)
    return found.lifelines[places[0]], found.lifelines[places[-1]]
