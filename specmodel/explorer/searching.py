"""Searches from the page: a check that starts in the state one looks at."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Any

from specmodel import api
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import WIDE, Reading
from specmodel.lang.rules import init
from specmodel.results import Progress, PropertyResult, SpecFailure
from specmodel.views.lasso import lasso_lines

LONGEST = 60.0
"""Seconds that a search from the page may take at most."""

MOST_MEMORY = 2 << 30
"""Bytes that it may take at most."""


def check_from(reading: Reading, branch: Branch, seconds: float, stopping: Event) -> dict[str, Any]:
    """Check the design with a state of a behaviour, its last, as the one initial state.

    Each trace that is found is given as the branch that goes on by it. Once `stopping` is set the
    search ends, and what was found until then is given.
    """

    def look(_: Progress) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt  # as Ctrl-C does it: the engine ends the search in order

    state = reading.lines.nodes(branch)[-1].state

    @init
    def here() -> Any:
        return state

    design = replace(reading.design, spec=replace(reading.spec, init=here))
    limit = min(max(seconds, 0.1), LONGEST)
    try:
        result = api.check(
            design,
            keep_going=True,
            symmetry=False,  # the state that it starts in tells the actors apart
            timeout=limit,
            max_memory=MOST_MEMORY,
            progress=look,
        )
    except SpecFailure as wrong:
        found = None
        if wrong.trace is not None:
            found = str(reading.lines.extended(branch, wrong.trace.steps))
        return {"failure": f"{wrong.where}: {wrong.message}", "branch": found}
    except KeyboardInterrupt:
        return {"failure": "the search was stopped before it began", "branch": None}
    return {
        "failure": "",
        "from": branch.length,
        "verdict": result.verdict,
        "complete": result.complete,
        "stopped": result.stopped,
        "distinct": result.distinct,
        "depth": result.depth,
        "levels": list(result.levels),
        "seconds": result.seconds,
        "coverage": dict(result.coverage),
        "properties": [_property(reading, branch, p) for p in result.properties],
    }


def _property(reading: Reading, branch: Branch, found: PropertyResult) -> dict[str, Any]:
    path = None
    if found.trace is not None:
        path = str(reading.lines.extended(branch, found.trace.steps))
    return {
        "name": found.name,
        "kind": found.kind,
        "verdict": found.verdict,
        "steps": None if found.trace is None else len(found.trace.steps),
        "branch": path,
        "told": _told(reading, found),
    }


def _told(reading: Reading, found: PropertyResult) -> list[str]:
    """What is to be said of a behaviour that goes on for ever and so breaks a property."""
    if found.lasso is None or found.trace is None:
        return []
    rule = next(rule for rule in reading.spec.properties if rule.name == found.name)
    lines = lasso_lines(rule, found.trace, found.lasso, reading.notation, WIDE)
    return [line.plain for line in lines if line.plain]
