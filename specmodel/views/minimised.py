"""A trace made as simple as possible, as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from specmodel.analysis.minimising import Measures, Minimised
from specmodel.design import Design
from specmodel.results import PropertyResult
from specmodel.views.explanation import explained
from specmodel.views.forms import padded, sections
from specmodel.views.page import Page
from specmodel.views.summary import count
from specmodel.views.trace import trace_lines


def minimised_lines(design: Design, found: Minimised, page: Page) -> Iterator[Text]:
    """The lines of the report: the trace, its explanation, the comparison with the given one."""
    kind = next((r.role for r in design.spec.properties if r.name == found.property), "")
    shown = PropertyResult(found.property, kind, "violated", found.trace)
    yield from sections(
        trace_lines(found.trace, design.spec, page, found.property),
        explained(design.spec, shown, page) if kind != "reachable" else (),
        _compared(found),
    )
    yield _ending(found, kind)


def _compared(found: Minimised) -> Iterator[Text]:
    pairs = zip(_figures(found.given, found), _figures(found.found, found), strict=True)
    rows = [("", "given", "found"), *((name, old, new) for (name, old), (_, new) in pairs)]
    for (_, old, new), cells in zip(rows, padded(rows), strict=True):
        style = "dim" if old == "given" else "" if old == new else "bold"
        yield Text(f"  {'  '.join(cells)}".rstrip(), style)


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
    text = f" {does} {found.property}: {which}"
    if found.main:
        text += f"; main path: {', '.join(found.main)}"
    return Text.assemble((found.design, "bold"), text)
