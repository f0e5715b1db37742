"""Ablations, sweeps and minimised traces as JSON objects (docs/reference/json-series.md)."""

from __future__ import annotations

import json
from typing import Any

from specmodel.analysis.ablation import Ablation, AblationTable
from specmodel.analysis.minimising import Measures, Minimised
from specmodel.analysis.rules import Condition
from specmodel.analysis.searches import Judged, Outcome
from specmodel.analysis.sweep import Growth, Point, Sweep
from specmodel.views.ablation import placed
from specmodel.views.notation import Notation

VERSION = 1
"""Raised when a key changes its meaning or goes; new keys may come without."""


def ablation_json(found: AblationTable) -> str:
    """An ablation as text."""
    return _text(
        {
            "version": VERSION,
            "design": found.design.name,
            "constants": found.design.values,
            "intact": _outcome(found.intact),
            "changes": [_ablation(a) for a in found.ablations],
            "spare": [a.number for a in found.spare],
        }
    )


def sweep_json(found: Sweep) -> str:
    """A sweep as text."""
    return _text(
        {
            "version": VERSION,
            "varied": {name: list(values) for name, values in found.varied.items()},
            "points": [_point(p) for p in found.points],
            "designs": [
                {
                    "design": design.name,
                    "smallest_failing": {
                        name: [dict(p.setting) for p in found.smallest(design.name, name)]
                        for name in found.properties(design.name)
                    },
                    "undecided": {
                        name: [dict(p.setting) for p in found.undecided(design.name, name)]
                        for name in found.properties(design.name)
                    },
                    "growth": [_growth(g) for g in found.growth(design.name)],
                }
                for design in found.designs
            ],
        }
    )


def minimised_json(found: Minimised) -> str:
    """A minimised trace as text: its steps; the states are what an ITF file is for."""
    write = Notation()
    return _text(
        {
            "version": VERSION,
            "design": found.design,
            "property": found.property,
            "main_path": list(found.main),
            "given": _measures(found.given),
            "found": _measures(found.found),
            "shortest": found.shortest,
            "steps": [write.step(step) for step in found.trace.steps],
        }
    )


def _ablation(found: Ablation) -> dict[str, Any]:
    rule = found.rule
    if isinstance(rule, Condition):
        told: dict[str, Any] = {
            "kind": "condition",
            "function": rule.function,
            "actions": list(rule.actions),
            "text": rule.text,
            "within": rule.within or None,
            "depth": rule.depth,
        }
    else:
        told = {
            "kind": "replacement",
            "actions": list(rule.actions),
            "by": rule.new,
            "with": list(rule.added),
        }
    return {
        "number": found.number,
        **told,
        "place": placed(rule.span),
        "effect": found.effect,
        **_outcome(found.outcome),
    }


def _point(point: Point) -> dict[str, Any]:
    return {
        "design": point.design,
        "constants": dict(point.constants),
        **_outcome(point.outcome),
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "properties": [_judged(p) for p in outcome.properties],
        "distinct": outcome.distinct,
        "generated": outcome.generated,
        "depth": outcome.depth,
        "complete": outcome.complete,
        "stopped": outcome.stopped or None,
        "seconds": round(outcome.seconds, 6),
        "failure": outcome.failure or None,
    }


def _judged(found: Judged) -> dict[str, Any]:
    return {
        "name": found.name,
        "kind": found.kind,
        "verdict": found.verdict,
        "trace_length": found.trace_length,
        "steps": list(found.steps),
    }


def _growth(growth: Growth) -> dict[str, Any]:
    return {
        "constant": growth.constant,
        "from": growth.before,
        "to": growth.after,
        "mean": round(growth.mean, 4),
        "least": round(growth.least, 4),
        "most": round(growth.most, 4),
        "pairs": growth.pairs,
    }


def _measures(measures: Measures) -> dict[str, Any]:
    return {
        "length": measures.length,
        "actors": list(measures.actors),
        "outside": measures.outside,
        "actions": list(measures.actions),
    }


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2)
