"""The behaviour that `solve` found, or the extent of the search for it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from specmodel.analysis.solving import Solution
from specmodel.results import Step
from specmodel.results.plain import json_text, members
from specmodel.traces.notation import Notation
from specmodel.views.page import Page
from specmodel.views.summary import bounds, concluded, count, ending, extent
from specmodel.views.trace import trace_lines


def solution_lines(found: Solution, page: Page) -> Iterator[Text]:
    """The behaviour as a trace, and a line that describes it."""
    result, design = found.result, found.design
    wanted = found.reach
    if found.start:
        wanted += f", by way of {found.start}"
    if found.trace is not None:
        yield from trace_lines(found.trace, design.spec, page)
        yield Text()
    seconds = f"{result.seconds:.2f} s, {result.engine}"
    yield Text(seconds, "dim")
    at = bounds(design.constants)
    where = f" at {at}" if at else ""
    if found.trace is not None:
        via = "" if found.passed is None else f", by way of state {found.passed + 1}"
        length = count(found.trace.length, "state")
        text, verdict = f"reaches {found.reach} in {length}{via}{where}", "holds"
    elif result.complete:
        text, verdict = f"cannot reach {wanted}{where}: {extent(result)}, complete", "violated"
    else:
        seen = f"{extent(result)}, {ending(result.stopped)}"
        text = f"incomplete, no way to {wanted} seen{where}: {seen}"
        verdict = "incomplete"
    yield concluded(design.name, text, verdict)


def solution_json(found: Solution) -> str:
    """The JSON object as text (docs/reference/json-questions.md)."""
    trace, result = found.trace, found.result
    text = members(
        found,
        "design=design.name constants=design.values reach from=start? verdict=reach "
        "engine=result.engine complete=result.complete stopped=result.stopped? "
        "trace_length=trace.length by_way_of=passed steps=trace.steps "
        "undecided=result.undecided seconds=result.seconds",
        {Step: Notation().step},
    )
    text["verdict"] = "found" if trace else "none" if result.complete else "incomplete"
    text["stopped"] = None if trace else text["stopped"]
    text["by_way_of"] = None if found.passed is None else found.passed + 1
    return json_text(text)
