"""The comparison of two designs under a map, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from specmodel.analysis.correspondence import Correspondence, MapDifference, NearestStep
from specmodel.results import Trace
from specmodel.results.plain import DIGITS, Keys, json_text, members
from specmodel.traces.changes import Change
from specmodel.traces.notation import Notation
from specmodel.views.page import Page
from specmodel.views.summary import bounds, concluded, count, ending
from specmodel.views.trace import trace_lines


def correspondence_lines(found: Correspondence, page: Page) -> Iterator[Text]:
    """The first difference, as two behaviours, and the verdict."""
    if found.mismatch is not None:
        yield from _difference(found, found.mismatch, page)
    states, steps = count(found.states, "state"), count(found.steps, "step")
    yield Text(f"{states}, {steps}, depth {found.depth}, {found.seconds:.2f} s", "dim")
    one, mapped = found.designs
    yield concluded(f"{one.name} and {mapped.name}", _verdict(found), found.verdict)


def _verdict(found: Correspondence) -> str:
    known = bounds(found.designs[1].constants)
    where = f", at {known}" if known else ""
    words = {
        "equal": f"have the same states and steps{where}",
        "different": f"do not have the same states and steps{where}",
        "unknown": f"have the same steps in the states visited{where}: {ending(found.stopped)}",
    }
    return words[found.verdict]


def _difference(found: Correspondence, mismatch: MapDifference, page: Page) -> Iterator[Text]:
    designs = found.designs
    has, lacks = designs[mismatch.only].name, designs[1 - mismatch.only].name
    said = {
        "initial": f"an initial state of {has} that {lacks} does not have",
        "step": f"a step of {has} that {lacks} does not have",
        "failure": f"a step of {has} fails, and none of {lacks}: {mismatch.failure}",
        "constraint": f"a state within the state constraints of {has} alone",
        "alike": f"two states of {has} for which the map gives one of {lacks}",
    }
    yield Text.assemble(("Difference", "bold"), f": {said[mismatch.kind]}")
    order = (mismatch.only, 1 - mismatch.only)
    for place in order:
        trace = mismatch.traces[place]
        design = designs[1 if mismatch.kind == "alike" else place]
        if trace is None:
            continue
        yield Text()
        yield Text(design.name, "bold")
        yield from trace_lines(trace, design.spec, page)
        if mismatch.kind == "step" and place != mismatch.only:
            yield from _nearest(mismatch.nearest, designs[0].spec)
    yield Text()


def _nearest(nearest: NearestStep | None, spec: Any) -> Iterator[Text]:
    """The step of the other design that comes nearest."""
    if nearest is None:
        yield Text("     no step can happen here")
        return
    yield Text(f"     no step does the same; {Notation().step(nearest.step)} comes nearest:")
    write = Notation.of_spec(spec).value
    for change in nearest.differences:
        values = f"{_text(change.after, write)}, not {_text(change.before, write)}"
        yield Text(f"       {change.path}: {values}")


def _text(value: Any, write: Any) -> str:
    return value if isinstance(value, str) else str(write(value))


def correspondence_json(found: Correspondence) -> str:
    """One JSON object (docs/reference/json-questions.md)."""
    content = {
        "designs": [design.name for design in found.designs],
        "constants": dict(found.designs[1].values),
        **members(found, "verdict states steps depth stopped?"),
        "difference": None if found.mismatch is None else _mismatch(found, found.mismatch),
        "seconds": round(found.seconds, DIGITS),
    }
    return json_text(content)


def _mismatch(found: Correspondence, mismatch: MapDifference) -> dict[str, Any]:
    notation = Notation()
    keys: Keys = {
        Trace: lambda trace: {
            "states": [notation.value(state) for state in trace.states],
            "steps": [notation.step(step) for step in trace.steps],
        },
        NearestStep: lambda nearest: {
            "step": notation.step(nearest.step),
            "differences": [_change(change, notation) for change in nearest.differences],
        },
    }
    content = members(mismatch, "kind failure? traces nearest", keys)
    return {"only": found.designs[mismatch.only].name, **content}


def _change(change: Change, notation: Notation) -> dict[str, Any]:
    return {
        "path": change.path,
        "wanted": notation.value(change.before),
        "value": notation.value(change.after),
    }
