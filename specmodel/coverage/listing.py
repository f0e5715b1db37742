"""The source of a design's functions, line by line, with the counts of its points."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal

from specmodel.coverage.places import CountedPlace, places
from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.results import Result

State = Literal["plain", "run", "part", "never"]
"""The state of a line: nothing to count; reached, with all its points; some missed; never."""


@dataclass
class Line:
    """A line of source. `count` is how often it was reached, None without a point.

    `guards` are those that are written on it, `lacking` the points on it that were never reached.
    """

    number: int
    text: str
    count: int | None = None
    guards: list[CountedPlace] = field(default_factory=list[CountedPlace])
    lacking: list[CountedPlace] = field(default_factory=list[CountedPlace])

    @property
    def state(self) -> State:
        """The state in which the line is shown."""
        if self.count == 0:
            return "never"
        if self.lacking:
            return "part"
        return "plain" if self.count is None else "run"


@dataclass(frozen=True)
class Listing:
    """The functions of a file that have been counted, in the order of the file."""

    file: str
    functions: tuple[tuple[Line, ...], ...]


def listings_of(result: Result) -> tuple[Listing, ...]:
    """The functions with counts in a result, whether they were reached or not."""
    spans = [held.point.definition for held in result.points]
    return listings(places(result.points), [span for span in spans if span is not None])


def listings(found: Iterable[CountedPlace], spans: Iterable[Span]) -> tuple[Listing, ...]:
    """The source at some spans, those of whole functions, with the counts of places."""
    at: dict[str, list[Span]] = {}
    for span in sorted(set(spans), key=lambda s: (s.file, s.line)):
        at.setdefault(span.file, []).append(span)
    lines = {
        file: {number: Line(number, text) for span in held for number, text in _text(span)}
        for file, held in at.items()
    }
    for place in found:
        _enter(place, lines.get(place.point.span.file, {}))
    return tuple(
        Listing(
            file,
            tuple(
                tuple(lines[file][n] for n in range(span.line, span.end_line + 1)) for span in held
            ),
        )
        for file, held in at.items()
    )


def _text(span: Span) -> Iterator[tuple[int, str]]:
    for number in range(span.line, span.end_line + 1):
        yield number, linecache.getline(span.file, number).rstrip("\n")


def _enter(place: CountedPlace, lines: dict[int, Line]) -> None:
    """Adds the counts of a place to its lines."""
    point = place.point
    for number in point.lines:
        if number in lines:
            line = lines[number]
            line.count = max(line.count or 0, place.reached)
    line = lines.get(point.span.line)
    if line is None:
        return
    if point.kind == "guard":
        line.guards.append(place)
    if place.missed and not place.hidden and not point.lines:
        line.lacking.append(place)
