"""Reads logs: JSON lines, an event on each."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from operator import le
from pathlib import Path
from typing import Any, cast

from specmodel.conformance.logs.binding import (
    NOT_TOLD,
    Event,
    LogBinding,
    LoggedAs,
    run_of_binding,
    told,
)
from specmodel.dataclass import dataclass
from specmodel.domains.shapes import is_mapping
from specmodel.errors import UsageError, suggestion


@dataclass(frozen=True)
class LoggedEvent:
    """An event that is a step or reports a state, with its place.

    `needs` has for each log how many of its events are before this one, where that is known.
    """

    file: Path
    line: int
    kind: str
    what: LoggedAs
    event: Event
    needs: tuple[int, ...] = ()

    @property
    def place(self) -> str:
        """`lock.jsonl:6`."""
        return f"{self.file.name}:{self.line}"

    @property
    def text(self) -> str:
        """The event as JSON on one line."""
        return json.dumps(dict(self.event), ensure_ascii=False, default=str)


EventLog = Sequence[LoggedEvent]


def read_logs(files: Sequence[Path], binding: LogBinding) -> list[EventLog]:
    """The events of some logs, without those that are ignored.

    Raises UsageError, with the place, for a file that cannot be read, a line that is no JSON
    object, an event of an unknown kind or without a time, and events that have no order.
    """
    logs = [_read(file, binding) for file in files]
    if len(logs) < 2:
        return logs
    times = [_times(log, binding) for log in logs] if binding.at else []
    known = _identities(logs, binding)
    ordered: list[EventLog] = []
    for number, log in enumerate(logs):
        places = [
            [
                max(
                    _earlier(times, number, place, other, binding.skew),
                    _named(one, other, known, binding),
                )
                for other in range(len(logs))
            ]
            for place, one in enumerate(log)
        ]
        ordered.append(
            [replace(one, needs=tuple(held)) for one, held in zip(log, places, strict=True)]
        )
    _refuse_circles(ordered)
    return ordered


def _refuse_circles(logs: Sequence[EventLog]) -> None:
    """Raises UsageError where events are each after another, so that none can be the next."""
    at, moved = [0] * len(logs), True
    while moved:
        moved = False
        for number, log in enumerate(logs):
            while at[number] < len(log) and all(map(le, log[at[number]].needs, at)):
                at[number] += 1
                moved = True
    left = [log[place] for log, place in zip(logs, at, strict=True) if place < len(log)]
    if left:
        places = " and ".join(one.place for one in left)
        raise UsageError(f"no order is possible: {places} are each after one that is after it")


def _read(file: Path, binding: LogBinding) -> EventLog:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as wrong:
        why = wrong.strerror if isinstance(wrong, OSError) else "it is no UTF-8"
        raise UsageError(f"cannot read {file}: {why}") from None
    found: list[LoggedEvent] = []
    for number, line in enumerate(lines, start=1):
        for event in _events(line, f"{file}:{number}", binding):
            if (kind := told(event, binding.event)) is NOT_TOLD:
                raise UsageError(f"{file}:{number}: the event has no field {binding.event}")
            kind = str(kind)
            if kind in binding.ends:
                return found
            if kind in binding.ignored:
                continue
            if kind not in binding.by_kind:
                hint = suggestion(kind, binding.by_kind) or ": name it in events or in ignored"
                raise UsageError(
                    f'{file}:{number}: the binding has no event "{kind}"'
                    f" (field {binding.event}){hint}"
                )
            found.append(LoggedEvent(file, number, kind, binding.by_kind[kind], event))
    return found


def _events(line: str, place: str, binding: LogBinding) -> Sequence[Event]:
    """The events of a line."""
    if (parse := binding.parse) is not None:
        return run_of_binding(lambda given: list(parse(given)), line)
    if not line.strip():
        return []
    try:
        event: Any = json.loads(line)
    except json.JSONDecodeError as wrong:
        raise UsageError(f"{place}: this is no JSON: {wrong.msg} at column {wrong.colno}") from None
    if not is_mapping(event):
        raise UsageError(f"{place}: an event is a JSON object")
    return [event]


def _times(log: EventLog, binding: LogBinding) -> Sequence[float]:
    """The times of the events; one that is earlier than that before it counts as simultaneous."""
    return list(accumulate((_time(one, binding) for one in log), max))


def _time(one: LoggedEvent, binding: LogBinding) -> float:
    found = told(one.event, binding.at)
    if isinstance(found, bool) or not isinstance(found, int | float):
        where = f"{one.file}:{one.line}"
        raise UsageError(f"{where}: field {binding.at} has no number of seconds")
    return float(found)


def _earlier(
    times: Sequence[Sequence[float]], number: int, place: int, other: int, skew: float
) -> int:
    """How many events of another log are before an event by their times, which never decrease."""
    if not times or other == number:
        return 0
    return bisect_left(times[other], times[number][place] - skew)


def _identities(logs: Sequence[EventLog], binding: LogBinding) -> dict[str, tuple[int, int]]:
    """The log and the place of the events with an identity, by its text."""
    found: dict[str, tuple[int, int]] = {}
    for number, log in enumerate(logs if binding.identity else ()):
        for place, one in enumerate(log):
            name = told(one.event, binding.identity)
            if name is not NOT_TOLD:
                found[str(name)] = number, place
    return found


def _named(
    one: LoggedEvent, other: int, known: dict[str, tuple[int, int]], binding: LogBinding
) -> int:
    """How many events of another log are before an event because it names one of them."""
    if not binding.after:
        return 0
    names = told(one.event, binding.after)
    named = cast(list[Any], names) if isinstance(names, list) else [names]
    places = [known[str(name)] for name in named if str(name) in known]
    return max((place + 1 for number, place in places if number == other), default=0)
