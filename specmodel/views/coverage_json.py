"""Coverage as one JSON object (docs/reference/json-coverage.md)."""

from __future__ import annotations

import json
from typing import Any

from specmodel.results import PointCount, Result
from specmodel.views.points import never

VERSION = 1
"""Raised when a key changes its meaning or goes; new keys may come without."""


def coverage_object(result: Result) -> dict[str, Any]:
    """The object, of plain JSON values."""
    return {
        "version": VERSION,
        "design": result.design,
        "constants": dict(result.constants),
        "engine": result.engine,
        "complete": result.complete,
        "stopped": result.stopped or None,
        "distinct": result.distinct,
        "generated": result.generated,
        "actions": dict(result.coverage),
        "points": [point_object(held) for held in result.points],
        "unmet": [unmet_object(held) for held in result.unmet],
    }


def coverage_json(result: Result) -> str:
    """The object as text, without a final line end."""
    return json.dumps(coverage_object(result), indent=2)


def unmet_object(held: PointCount) -> dict[str, Any]:
    """An antecedent that was never met."""
    point = held.point
    return {
        "property": point.rule,
        "text": never(point),
        "file": point.span.file,
        "line": point.span.line,
    }


def point_object(held: PointCount) -> dict[str, Any]:
    """A point with its counts."""
    point, span = held.point, held.point.span
    return {
        "number": point.number,
        "rule": point.rule,
        "role": point.role,
        "kind": point.kind,
        "text": point.text,
        "operator": point.operator or None,
        "function": point.function,
        "file": span.file,
        "line": span.line,
        "column": span.column + 1,
        "lines": list(point.lines),
        "parent": None if point.parent < 0 else point.parent,
        "fixed": point.fixed,
        "cases": held.cases,
        "reached": held.reached,
        "false": held.false,
        "alone": held.alone,
    }
