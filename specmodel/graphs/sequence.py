"""A trace as a message-sequence chart: a lifeline for each actor, an event for each step.

The changes of a step show who sends to whom: of the actors that the step names, those whose part of
the state is unchanged are senders, and those whose part is changed are receivers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from specmodel.model.model import Model
from specmodel.results import Step, Trace
from specmodel.traces.changes import changes
from specmodel.traces.notation import Notation
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

    `loop` is the number of the state to which it returns.
    """

    title: str
    lifelines: tuple[str, ...]
    events: tuple[Event, ...]
    leaderships: tuple[Leadership, ...]
    length: int
    violated: str = ""
    loop: int | None = None


def chart(spec: Model, trace: Trace, title: str, violated: str = "") -> Chart:
    """The chart of a trace. A `violated` property is violated in the last state."""
    drawer = Drawer(spec)
    actors = tuple(map(repr, drawer.lanes.actor)) if drawer.lanes else ()
    members = tuple(drawer.lanes.actor) if drawer.lanes else ()
    events = tuple(
        _event(number + 2, step, trace.states[number], trace.states[number + 1], members, drawer)
        for number, step in enumerate(trace.steps)
    )
    met = {name for event in events for name in (event.source, *event.targets)}
    lifelines = (*actors, *([SHARED] if SHARED in met or not actors else []))
    return Chart(
        title,
        lifelines,
        events,
        tuple(_leaderships(drawer, trace)),
        trace.length,
        violated,
        None if trace.loop is None else trace.loop + 1,
    )


def _event(
    number: int, step: Step, before: Any, after: Any, members: tuple[Any, ...], drawer: Drawer
) -> Event:
    notation: Notation = drawer.notation
    names = {repr(member) for member in members}
    named = [repr(value) for value in step.arguments.values() if value in members]
    found = list(changes(before, after))
    touched: dict[str, None] = {}
    for change in found:
        index = _INDEX.match(change.path)
        touched[index[1] if index and index[1] in names else SHARED] = None
    texts = tuple(f"{c.path}  {said(c, notation, UNICODE)}" for c in found)
    receivers = [name for name in named if name in touched]
    senders = [name for name in named if name not in touched]
    source, targets = "", tuple(touched) or tuple(named[:1]) or (SHARED,)
    if receivers and senders:
        source, targets = senders[0], tuple(dict.fromkeys(receivers))
    kind = "message" if source else "local"
    return Event(number, step.action, notation.step(step), kind, source, targets, texts)


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
        label = f"{event.number}. {event.label}".replace(";", ",").replace("#", "")
        if found.loop is not None and event.number == found.loop + 1:
            lines.append("  loop for ever")
        if event.kind == "message":
            lines += [f"  {event.source}->>{target}: {label}" for target in event.targets]
        else:
            ends = event.targets if len(event.targets) == 1 else _span(found, event)
            lines.append(f"  Note over {','.join(ends)}: {label}")
    if found.loop is not None and found.loop < found.length:
        lines.append("  end")
    if found.violated:
        over = ",".join(dict.fromkeys((found.lifelines[0], found.lifelines[-1])))
        lines.append(f"  Note over {over}: {found.violated} is false")
    return "\n".join(lines) + "\n"


def _span(found: Chart, event: Event) -> tuple[str, ...]:
    """The outermost lifelines of an event: a note covers all between two."""
    places = sorted(found.lifelines.index(name) for name in event.targets)
    return found.lifelines[places[0]], found.lifelines[places[-1]]
