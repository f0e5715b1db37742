"""Searches from the page: a check that starts in the shown state."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Any

from specmodel.analysis import checking
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import DesignReading
from specmodel.results import Progress, PropertyResult, SpecFailure
from specmodel.results.plain import members

LONGEST = 60.0
"""The greatest number of seconds of a search from the page."""

MOST_MEMORY = 2 << 30
"""The greatest number of bytes of such a search."""


def check_from(
    reading: DesignReading, branch: Branch, seconds: float, stopping: Event
) -> dict[str, Any]:
    """Checks the design with the last state of a behaviour as the one initial state.

    Each trace is returned as the branch that continues with it. Once `stopping` is set, the search
    ends, and its findings so far are returned.
    """

    def look(_: Progress) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt  # like Ctrl-C: the engine ends the search in order

    state = reading.tree.nodes(branch)[-1].state
    design = replace(reading.design, spec=reading.spec.starting_in(state))
    limit = min(max(seconds, 0.1), LONGEST)
    try:
        result = checking.check(
            design,
            keep_going=True,
            symmetry=False,  # the initial state distinguishes the actors
            timeout=limit,
            max_memory=MOST_MEMORY,
            progress=look,
        )
    except SpecFailure as wrong:
        found = None
        if wrong.trace is not None:
            found = str(reading.tree.extended(branch, wrong.trace.steps))
        return {"failure": f"{wrong.where}: {wrong.message}", "branch": found}
    except KeyboardInterrupt:
        return {"failure": "the search was stopped before it began", "branch": None}
    keys = "verdict complete stopped distinct depth levels seconds coverage"
    return {
        "failure": "",
        "from": branch.length,
        **members(result, keys),
        "properties": [_property(reading, branch, found) for found in result.properties],
    }


def _property(reading: DesignReading, branch: Branch, found: PropertyResult) -> dict[str, Any]:
    trace, lasso = found.trace, found.lasso
    return {
        **members(found, "name kind verdict"),
        "steps": None if trace is None else len(trace.steps),
        "branch": None if trace is None else str(reading.tree.extended(branch, trace.steps)),
        "told": reading.lasso_lines(found.name, trace, lasso) if trace and lasso else [],
    }
