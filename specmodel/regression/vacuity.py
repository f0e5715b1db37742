"""Detects vacuous success: nothing was checked, or an action never happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from specmodel.results import Result


def vacuities(result: Result) -> Iterator[str]:
    """The reasons why the verdict of one complete run is vacuous."""
    if not result.complete:
        return
    if not result.properties:
        yield "no property was checked"
    if not any(result.coverage.values()):
        yield "no action ever fired"


def never_fired(
    coverages: Iterable[Mapping[str, int]], expect: Mapping[str, Any]
) -> tuple[str, ...]:
    """The actions that fire in none of several runs, unless the expectations allow it.

    `coverage: {action: 0}` in `expect` itself allows it. Runs are read only until all actions have
    fired, so `coverages` may search lazily.
    """
    allowed = {action for action, least in expect.get("coverage", {}).items() if least == 0}
    left: dict[str, None] | None = None
    for coverage in coverages:
        if left is None:
            left = {name: None for name in coverage if name not in allowed}
        left = {name: None for name in left if not coverage.get(name)}
        if not left:
            break
    return tuple(left or ())
