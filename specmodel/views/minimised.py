"""A trace made as simple as it can be, as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from specmodel.analysis.minimising import Measures, Minimised
from specmodel.design import Design
from specmodel.results import PropertyResult
from specmodel.views.explanation import explained
from specmodel.views.summary import count
from specmodel.views.symbols import Symbols
from specmodel.views.trace import TraceView, trace_lines


def minimised_lines(
    design: Design,
    found: Minimised,
    width: int,
    symbols: Symbols,
    view: TraceView | None = None,
) -> Iterator[Text]:
    """The lines of the report: the trace, why it shows what it does, and how it compares."""
    yield from trace_lines(found.trace, design.spec, width, symbols, view)
    yield Text()
    kind = next((r.role for r in design.spec.properties if r.name == found.property), "")
    if kind != "reachable":
        shown = PropertyResult(found.property, kind, "violated", found.trace)
        yield from explained(design.spec, shown, symbols, width)
        yield Text()
    yield from _compared(found)
    yield Text()
    yield _ending(found, kind)


def _compared(found: Minimised) -> Iterator[Text]:
    rows = list(zip(_figures(found.given, found), _figures(found.found, found), strict=True))
    column = max(len(name) for (name, _), _ in rows)
    before = max(5, *(len(value) for (_, value), _ in rows))
    yield Text(f"  {'':<{column}}  {'given':<{before}}  found", "dim")
    for (name, old), (_, new) in rows:
        yield Text(f"  {name:<{column}}  {old:<{before}}  {new}", "" if old == new else "bold")


def _figures(measures: Measures, found: Minimised) -> Iterator[tuple[str, str]]:
    yield "states", str(measures.length)
    if measures.actors:
        yield "actors", f"{len(measures.actors)}: {', '.join(measures.actors)}"
    else:
        yield "actors", "0"
    if found.main:
        yield "steps outside the main path", str(measures.outside)
    yield "different actions", str(len(measures.actions))


def _ending(found: Minimised, kind: str) -> Text:
    does = "meets" if kind == "reachable" else "violates"
    length = count(found.found.length, "state")
    if found.shortest is None:
        which = f"one of the shortest traces, {length} (too many states to compare them all)"
    elif found.shortest == 1:
        which = f"the only shortest trace, {length}"
    else:
        which = f"the plainest of {found.shortest:,} shortest traces, {length}"
    told = f" {does} {found.property}: {which}"
    if found.main:
        told += f"; main path: {', '.join(found.main)}"
    return Text.assemble((found.design, "bold"), told)
