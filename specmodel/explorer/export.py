"""One file to share: the page with a trace in it, to be read from disk without a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.errors import UsageError
from specmodel.explorer.behaviours import MOST_AT_ONCE, Behaviours
from specmodel.explorer.branch import Branch
from specmodel.explorer.bundle import one_page
from specmodel.explorer.charting import charted
from specmodel.explorer.reading import DesignReading


def exported(reading: Behaviours, watches: Sequence[str] = ()) -> str:
    """A trace as an HTML page, with the values of some expressions along it.

    Raises UsageError if there is no trace, and ExpressionError for a wrong expression.
    """
    about = reading.about()
    if about["trace"] is None:
        raise UsageError("there is nothing to export: give a trace, as check --trace-out writes it")
    return one_page(f"{about['design']} · {about['trace']}", document(reading, watches))


def document(reading: Behaviours, watches: Sequence[str] = ()) -> dict[str, Any]:
    """All data that the page can request about the recorded trace; docs/internals has its form."""
    branch = reading.start
    steps: list[dict[str, Any]] = []
    frames: list[dict[str, Any]] = []
    for first in range(1, branch.length + 1, MOST_AT_ONCE):
        steps += reading.spine(branch, first, MOST_AT_ONCE)["steps"]
        frames += reading.frames(branch, first, MOST_AT_ONCE)
    found = {
        "about": {**reading.about(), "live": False, "watches": list(watches)},
        "spine": {**reading.spine(branch, 1, 1), "steps": steps},
        "frames": frames,
        "why": {},
        "watches": {},
    }
    if isinstance(reading, DesignReading):
        found["why"] = _reasons(reading, branch, steps)
        found["watches"] = {text: _values(reading, branch, text) for text in watches}
        found["chart"] = _chart(reading, branch)
    return found


def _chart(reading: DesignReading, branch: Branch) -> dict[str, Any]:
    """The chart of the behaviour, or why there is none."""
    try:
        return charted(reading, branch)
    except UsageError as wrong:
        return {"error": str(wrong)}


def _values(reading: DesignReading, branch: Branch, text: str) -> list[str]:
    """The values of an expression in all states."""
    found: list[str] = []
    while len(found) < branch.length:
        found += reading.watch(branch, text, len(found) + 1, MOST_AT_ONCE)
    return found


def _reasons(
    reading: DesignReading, branch: Branch, steps: Sequence[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Why properties are false, by the numbers of the states in which one is."""
    kinds = [rule.role for rule in reading.rules]
    false = [
        step["number"]
        for step in steps
        if any(t in "0!" and k != "reachable" for t, k in zip(step["truths"], kinds, strict=True))
    ]
    return {str(number): reading.why(branch, number) for number in false}
