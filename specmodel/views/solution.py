"""A behaviour to a state that one described, or how far it was looked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from specmodel.analysis.solving import Solution
from specmodel.views.notation import Notation
from specmodel.views.summary import bounds, count, ending, extent
from specmodel.views.symbols import Symbols
from specmodel.views.trace import TraceView, trace_lines


def solution_lines(
    found: Solution, width: int, symbols: Symbols, view: TraceView | None
) -> Iterator[Text]:
    """The behaviour as any trace, and a line that says what it is."""
    result, design = found.result, found.design
    wanted = found.reach
    if found.start:
        wanted += f", by way of {found.start}"
    if found.trace is not None:
        yield from trace_lines(found.trace, design.spec, width, symbols, view)
        yield Text()
    seconds = f"{result.seconds:.2f} s, {result.engine}"
    yield Text(seconds, "dim")
    at = bounds(design, design.values)
    where = f" at {at}" if at else ""
    if found.trace is not None:
        via = "" if found.passed is None else f", by way of state {found.passed + 1}"
        length = count(found.trace.length, "state")
        told, style = f"reaches {found.reach} in {length}{via}{where}", "bold blue"
    elif result.complete:
        told, style = f"cannot reach {wanted}{where}: {extent(result)}, complete", "bold red"
    else:
        told = f"incomplete, no way to {wanted} seen{where}: {extent(result)}, {ending(result)}"
        style = "bold yellow"
    yield Text.assemble((design.name, "bold"), " ", (told, style))


def solution_object(found: Solution) -> dict[str, Any]:
    """The JSON object (docs/reference/json-questions.md)."""
    notation, trace = Notation(), found.trace
    return {
        "version": 1,
        "design": found.design.name,
        "constants": dict(found.design.values),
        "reach": found.reach,
        "from": found.start or None,
        "verdict": "found" if trace else "none" if found.result.complete else "incomplete",
        "engine": found.result.engine,
        "complete": found.result.complete,
        "stopped": None if trace else found.result.stopped or None,
        "trace_length": trace.length if trace else None,
        "by_way_of": None if found.passed is None else found.passed + 1,
        "steps": [notation.step(step) for step in trace.steps] if trace else None,
        "undecided": list(found.result.undecided),
        "seconds": round(found.result.seconds, 6),
    }
