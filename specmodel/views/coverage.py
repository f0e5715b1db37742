"""The coverage of a spec's code, as text: a table of guards and antecedents, and the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.text import Text

from specmodel.coverage.listing import Line, Listing
from specmodel.coverage.places import CountedPlace, missed, places
from specmodel.errors import Span
from specmodel.results import PointCount, Result
from specmodel.views.ablation import placed
from specmodel.views.forms import cut
from specmodel.views.page import Page
from specmodel.views.points import condition, never
from specmodel.views.summary import count
from specmodel.views.symbols import Symbols

NARROWEST = 24
"""The least width of a condition in columns, however narrow the terminal."""


def coverage_lines(result: Result, page: Page) -> Iterator[Text]:
    """A table of actions with their guards and of properties, then the points never reached."""
    for role, title in (("action", "Actions"), ("", "Properties")):
        found = [p for p in result.points if (p.point.role == "action") == (role == "action")]
        if found:
            yield from _table(title, found, result, page)
            yield Text()
    known = places(result.points)
    lacking = missed(known)
    if lacking:
        yield Text("Never reached", "bold")
        for place in lacking:
            yield Text.assemble(
                (f"  {page.symbols.false} ", "bold red"),
                placed(place.point.span),
                f"  {never(place.point)}",
                (f"   {', '.join(place.rules)}", "dim"),
            )
        yield Text()
    yield Text(share(known))


def share(found: Sequence[CountedPlace]) -> str:
    """The reached share of the points, in a sentence."""
    wanted = [place for place in found if not place.point.fixed]
    reached = sum(not place.missed for place in wanted)
    return f"{reached} of {count(len(wanted), 'point')} of the code reached"


def _table(title: str, found: Sequence[PointCount], result: Result, page: Page) -> Iterator[Text]:
    """The rows of some rules: the guards of actions, the antecedents of properties."""
    heads = figures_of(found) if title == "Actions" else ("true in",)
    figures = [f"{n:,}" for held in found for n in (held.reached, held.false) if n is not None]
    column = max(map(len, (*figures, *heads))) + 2
    label = max(page.width - column * len(heads) - 2, NARROWEST)
    label = min(label, max(len(text) for text in (title, *map(label_of, found))) + 5)
    yield Text(f"{title:<{label}}" + "".join(f"{h:>{column}}" for h in heads), "bold")
    for _, group in groupby(found, lambda held: held.point.rule):
        rule = list(group)
        yield heading(rule[0], result)
        for held in rule:
            text = label_of(held)
            if text:
                shown = (held.reached, held.false, held.alone)[: len(heads)]
                line = Text(f"    {cut(text, label - 5):<{label - 4}}")
                for number in shown:
                    cell = "-" if number is None else f"{number:,}"
                    line.append(f"{cell:>{column}}", "yellow" if number == 0 else "")
                if held.reached == 0 and not held.point.fixed:
                    line.append(f" {page.symbols.false}", "bold red")
                yield line


def figures_of(found: Iterable[PointCount]) -> tuple[str, ...]:
    """The heads of the figures of actions: without `alone` if no guard has it, as in a module."""
    guards = [held for held in found if held.point.kind == "guard"]
    if guards and all(held.alone is None for held in guards):
        return ("reached", "false")
    return ("reached", "false", "alone")


def label_of(held: PointCount) -> str:
    """The label of a row of the table; empty for a point without a row."""
    point = held.point
    inside = f" ({point.function})" if point.function != point.rule else ""
    if point.kind == "guard":
        return f"{point.text}{inside}"
    if not point.antecedent:
        return ""
    return f"{condition(point)}{inside}"


def heading(held: PointCount, result: Result) -> Text:
    """The line above the rows of a rule."""
    point = held.point
    text = Text.assemble("  ", (point.rule, "bold cyan"))
    if point.role == "action":
        # In a case, an action of a module may lead to several states.
        cases = (
            f"of {held.cases:,}"
            if "alone" in figures_of(result.points)
            else f"in {count(held.cases, 'case')}"
        )
        return text.append(f"  fired {result.coverage[point.rule]:,} {cases}")
    unit = "step" if point.role == "transition" else "state"
    return text.append(f"  {point.role}, {count(held.cases, unit)}")


def listing_lines(found: Sequence[Listing], symbols: Symbols) -> Iterator[Text]:
    """The source of all functions, with the counts in the margin."""
    for listing in found:
        lines = [line for function in listing.functions for line in function]
        counts = [f"{line.count:,}" for line in lines if line.count is not None]
        column = max(map(len, counts), default=1)
        digits = len(str(lines[-1].number))
        yield Text(placed_file(listing), "bold")
        for place, function in enumerate(listing.functions):
            if place:
                yield Text(f"{'':>{column}} {symbols.ellipsis}", "dim")
            for line in function:
                yield _source_line(line, column, digits, symbols)
                yield from _notes(line, column + digits + 4, symbols)
        yield Text()


def placed_file(listing: Listing) -> str:
    """The file of a listing as reports name it."""
    return placed(Span(listing.file, 1, 0, 1, 0)).rpartition(":")[0]


_MARKS = {"never": "bold red", "part": "bold yellow", "run": "green", "plain": "dim"}


def mark(line: Line, symbols: Symbols) -> str:
    """The symbol of a line's state."""
    return {"never": symbols.false, "part": symbols.unknown}.get(line.state, " ")


def _source_line(line: Line, column: int, digits: int, symbols: Symbols) -> Text:
    shown = "" if line.count is None else f"{line.count:,}"
    style = _MARKS[line.state]
    return Text.assemble(
        (f"{shown:>{column}} {mark(line, symbols)}", style),
        (f"{line.number:>{digits}} ", "dim"),
        (line.text, "red" if line.state == "never" else ""),
    )


def _notes(line: Line, indent: int, symbols: Symbols) -> Iterator[Text]:
    """The notes about parts of a line, below the line."""
    for text in notes(line):
        yield Text(f"{'':>{indent}}{symbols.below} {text}", "dim")


def notes(line: Line) -> Iterator[str]:
    """The notes about parts of a line: its guards, and the points never reached."""
    for place in line.guards:
        told_of = "" if len(line.guards) == 1 else f"{place.point.text}: "
        alone = "" if place.alone is None else f", {place.alone:,} alone"
        yield f"{told_of}false {place.false:,} of {place.reached:,}{alone}"
    for place in line.lacking:
        if place.point.kind != "guard":
            yield never(place.point)
