"""A result as one JSON object, the same for every engine (docs/reference/json.md)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from specmodel.results import PropertyResult, Result
from specmodel.views.coverage_json import point_object, unmet_object

VERSION = 1
"""Raised when a key changes its meaning or goes; new keys may come without."""


def json_object(result: Result) -> dict[str, Any]:
    """The object, of plain JSON values."""
    return {
        "version": VERSION,
        "design": result.design,
        "constants": dict(result.constants),
        "engine": result.engine,
        "workers": result.workers,
        "complete": result.complete,
        "verdict": result.verdict,
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "symmetry": list(result.symmetry),
        "reduced": result.reduced,
        "seconds": round(result.seconds, 6),
        "properties": [_property(found) for found in result.properties],
        "coverage": dict(result.coverage),
        "unmet": [unmet_object(held) for held in result.unmet],
        **({"points": [point_object(held) for held in result.points]} if result.points else {}),
        "stopped": result.stopped or None,
        "compile_seconds": round(result.compile_seconds, 6),
        "memory": result.memory,
        "omission": result.omission,
        "disk": result.disk,
        "resumed": result.resumed,
        "undecided": list(result.undecided),
        "checkpoint": None if result.checkpoint is None else str(result.checkpoint),
        "saved": None if result.saved is None else str(result.saved),
        "self_check": None if result.self_check is None else asdict(result.self_check),
    }


def _property(found: PropertyResult) -> dict[str, Any]:
    return {
        "name": found.name,
        "kind": found.kind,
        "verdict": found.verdict,
        "trace_length": found.trace_length,
        "loop": found.trace.loop if found.trace else None,
        "smallest_cycle": found.lasso.smallest if found.lasso else None,
    }


def json_text(result: Result) -> str:
    """The object as text, without a final line end."""
    return json.dumps(json_object(result), indent=2)
