"""One file to share: the page with a trace in it, which needs no server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.errors import UsageError
from specmodel.explorer.behaviours import MOST_AT_ONCE, Behaviours
from specmodel.explorer.branch import Branch
from specmodel.explorer.bundle import one_page
from specmodel.explorer.charting import charted
from specmodel.explorer.reading import DesignReading
from specmodel.explorer.surroundings import Surroundings, Told, packed

MOST_EXPLORED = 200
"""The states from which an exported file can take steps, unless another number is wanted."""


def exported(
    reading: Behaviours,
    watches: Sequence[str] = (),
    explored: int = MOST_EXPLORED,
    told: Told | None = None,
) -> str:
    """A trace, or the initial state of a design, as an HTML page.

    The page has the values of some expressions, and the steps of `explored` states: those of the
    trace, from its last on, then those around it. Raises ExpressionError for a wrong expression.
    """
    about = reading.about()
    title = " · ".join(filter(None, (about["design"], about["trace"])))
    return one_page(title, document(reading, watches, explored, told))


def document(
    reading: Behaviours,
    watches: Sequence[str] = (),
    explored: int = 0,
    told: Told | None = None,
) -> dict[str, Any]:
    """All data that the page can request without a server; docs/internals has its form."""
    branch = reading.start
    steps: list[dict[str, Any]] = []
    frames: list[dict[str, Any]] = []
    for first in range(1, branch.length + 1, MOST_AT_ONCE):
        steps += reading.spine(branch, first, MOST_AT_ONCE)["steps"]
        frames += reading.frames(branch, first, MOST_AT_ONCE)
    found: dict[str, Any] = {
        "about": {**reading.about(), "live": False, "explored": 0, "watches": list(watches)},
        "spine": {**reading.spine(branch, 1, 1), "steps": steps},
        "frames": frames,
        "why": {},
        "watches": {},
    }
    if isinstance(reading, DesignReading):
        found["why"] = _reasons(reading, branch, steps)
        found["watches"] = {text: _values(reading, branch, text) for text in watches}
        found["chart"] = _chart(reading, branch)
        if explored:
            around = Surroundings(reading, found["watches"], explored)
            found["around"] = packed(around.document(told))
            found["about"]["explored"] = len(around.steps)
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
    false = [step["number"] for step in steps if reading.wrong_in(step["truths"])]
    return {str(number): reading.why(branch, number) for number in false}
