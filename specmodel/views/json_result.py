"""The results of engines as JSON objects, the same for every engine: checks, coverage, simulations.

See docs/reference/json.md, json-coverage.md and json-simulate.md.
"""

from __future__ import annotations

from typing import Any

from specmodel.results import PointCount, PropertyResult, Result, Simulation
from specmodel.results.plain import Keys, json_text, members, plain
from specmodel.views.points import never

_RESULT: Keys = {
    Result: (
        "design constants engine workers complete verdict distinct generated depth symmetry "
        "reduced seconds properties coverage unmet points stopped? compile_seconds memory omission "
        "disk resumed undecided checkpoint saved self_check"
    ),
    PropertyResult: "name kind verdict trace_length loop=trace.loop smallest_cycle=lasso.smallest",
    PointCount: lambda held: _point(held),
}


def result_object(result: Result) -> dict[str, Any]:
    """The object, of plain JSON values, without its version."""
    content = plain(result, _RESULT)
    content["unmet"] = [_unmet(held) for held in result.unmet]
    if not result.points:
        del content["points"]
    content["bounds"] = {place.name: list(bound) for place, bound in result.bounds.items()}
    return content


def result_json(result: Result) -> str:
    """The object as text, without a final line end."""
    return json_text(result_object(result))


def coverage_json(result: Result) -> str:
    """The coverage of a check as text."""
    names = "design constants engine complete stopped? distinct generated actions=coverage"
    return json_text(
        {
            **members(result, names),
            "points": [_point(held) for held in result.points],
            "unmet": [_unmet(held) for held in result.unmet],
        }
    )


def _unmet(held: PointCount) -> dict[str, Any]:
    """An antecedent that was never true."""
    content = members(held.point, "property=rule text file=span.file line=span.line")
    return {**content, "text": never(held.point)}


def _point(held: PointCount) -> dict[str, Any]:
    """A point with its counts."""
    point = held.point
    names = "number rule role kind text operator? function file=span.file line=span.line"
    return {
        **members(point, names),
        "column": point.span.column + 1,
        "lines": list(point.lines),
        "parent": None if point.parent < 0 else point.parent,
        "fixed": point.fixed,
        **members(held, "cases reached false alone"),
    }


def simulation_json(found: Simulation) -> str:
    """A simulation as text."""
    return json_text(
        members(
            found,
            "design constants engine workers strategy seed depth verdict stopped? walks steps cut "
            "longest seconds compile_seconds walk walk_length properties coverage bindings touched "
            "saved self_check guarantee",
            {PropertyResult: lambda judged: _judged(found, judged)},
        )
    )


def _judged(found: Simulation, judged: PropertyResult) -> dict[str, Any]:
    shortest = judged.name in found.shortest if judged.trace else None
    return {**members(judged, "name kind verdict trace_length"), "shortest": shortest}
