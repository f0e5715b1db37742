"""Ablations, sweeps and minimised traces as JSON objects (docs/reference/json-series.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from specmodel.analysis.ablation import Ablation, AblationTable
from specmodel.analysis.minimising import Minimised
from specmodel.analysis.rules import Condition
from specmodel.analysis.searches import SearchOutcome
from specmodel.analysis.sweep import Growth, Setting, Sweep, SweepPoint
from specmodel.results.plain import json_text, members, plain
from specmodel.traces.notation import Notation
from specmodel.views.ablation import placed


def ablation_json(found: AblationTable) -> str:
    """An ablation as text."""
    return json_text(
        {
            **members(found.design, "design=name constants=values"),
            "intact": _outcome(found.intact),
            "changes": [_ablation(a) for a in found.ablations],
            "spare": [a.number for a in found.spare],
        }
    )


def sweep_json(found: Sweep) -> str:
    """A sweep as text."""
    return json_text(
        {
            "varied": plain(found.varied),
            "points": [_point(p) for p in found.points],
            "designs": [_design(found, design.name) for design in found.designs],
        }
    )


def minimised_json(found: Minimised) -> str:
    """A minimised trace as text: its steps. An ITF file has the states."""
    write = Notation()
    return json_text(
        {
            **members(found, "design property main_path=main given found shortest"),
            "steps": [write.step(step) for step in found.trace.steps],
        }
    )


def _ablation(found: Ablation) -> dict[str, Any]:
    rule = found.rule
    if isinstance(rule, Condition):
        content = {"kind": "condition", **members(rule, "function actions text within? depth")}
    else:
        content = {"kind": "replacement", **members(rule, "actions by=new with=added")}
    return {
        "number": found.number,
        **content,
        "place": placed(rule.span),
        "effect": found.effect,
        **_outcome(found.outcome),
    }


def _point(point: SweepPoint) -> dict[str, Any]:
    return {**members(point, "design constants"), **_outcome(point.outcome)}


def _outcome(outcome: SearchOutcome) -> dict[str, Any]:
    names = "properties distinct generated depth complete stopped? seconds failure?"
    return members(outcome, names)


def _design(found: Sweep, design: str) -> dict[str, Any]:
    names = found.properties(design)
    return {
        "design": design,
        "smallest_failing": {name: _settings(found.smallest(design, name)) for name in names},
        "undecided": {name: _settings(found.undecided(design, name)) for name in names},
        "growth": [_growth(g) for g in found.growth(design)],
    }


def _settings(points: Iterable[SweepPoint]) -> list[Setting]:
    return [plain(point.setting) for point in points]


def _growth(growth: Growth) -> dict[str, Any]:
    content = members(growth, "constant from=before to=after mean least most pairs")
    return content | {name: round(content[name], 4) for name in ("mean", "least", "most")}
