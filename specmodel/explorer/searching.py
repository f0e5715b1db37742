"""Searches from the page: of the whole design, and from the shown state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Lock, Thread
from typing import Any

from specmodel.analysis import checking
from specmodel.analysis.counterexamples import counterexamples
from specmodel.analysis.minimising import Unfinished
from specmodel.analysis.searches import SearchLimits
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import DesignReading
from specmodel.results import Progress, PropertyResult, SpecFailure, Trace
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
    state = reading.tree.nodes(branch)[-1].state
    design = replace(reading.design, spec=reading.spec.starting_in(state))
    found = _checked(
        reading,
        design,
        min(max(seconds, 0.1), LONGEST),
        stopping,
        lambda trace: reading.tree.extended(branch, trace),
        symmetry=False,  # the initial state distinguishes the actors
    )
    return found if found["failure"] else {"from": branch.length, **found}


class DesignSearch:
    """The search of a whole design in the background: its progress, then its verdicts.

    It begins with the first question about it. `lock` is held while it runs; it waits for the
    search that holds the lock before.
    """

    def __init__(self, reading: DesignReading, lock: Lock, stopping: Event) -> None:
        self.reading = reading
        self.lock = lock
        self.stopping = stopping
        self.closed = False
        self._starting = Lock()
        self._thread: Thread | None = None
        self._told: dict[str, Any] = {"running": True, "distinct": 0, "depth": 0, "seconds": 0.0}

    def verdicts(self) -> dict[str, Any]:
        """The progress of the search, or its findings; each trace is a branch from its start."""
        with self._starting:
            if self._thread is None:
                self._thread = Thread(target=self._search, name="verdicts")
                self._thread.start()
        return self._told

    @property
    def runs(self) -> bool:
        """Whether it has begun, or waits for another search, and has not ended."""
        return self._thread is not None and self._told["running"]

    def _search(self) -> None:
        found: dict[str, Any] = {"failure": "the search ended with an internal error"}
        try:
            with self.lock:
                if self.closed:
                    found = {"failure": "the search was stopped before it began"}
                    return
                self.stopping.clear()
                found = _checked(
                    self.reading,
                    self.reading.design,
                    LONGEST,
                    self.stopping,
                    self.reading.tree.branch_of,
                    self._look,
                )
        except SpecmodelError as wrong:
            found = {"failure": str(wrong)}
        finally:
            self._told = {"branch": None, **found, "running": False}

    def _look(self, progress: Progress) -> None:
        self._told = {"running": True, **members(progress, "distinct depth seconds")}


OTHERS = 10.0
"""Seconds of each search for further counterexamples."""


def other_counterexamples(reading: DesignReading, lock: Lock, name: str) -> dict[str, Any]:
    """Counterexamples to a property that differ in their actions, the shortest first.

    `needed` are the actions that all of them take. Raises UsageError if a search holds the lock,
    and the errors of the analysis.
    """
    if not lock.acquire(blocking=False):
        raise UsageError("another search is running: wait for it, or press Stop in Verdicts")
    try:
        found = counterexamples(
            reading.design, name, limits=SearchLimits(None, MOST_MEMORY, OTHERS)
        )
    except Unfinished as wrong:
        raise UsageError(str(wrong)) from None
    finally:
        lock.release()
    return {
        "needed": list(found.needed),
        "found": [
            {
                "branch": str(reading.tree.branch_of(one.trace)),
                "steps": len(one.trace.steps),
                "actions": dict(Counter(step.action for step in one.trace.steps)),
            }
            for one in found.found
        ],
    }


def _checked(
    reading: DesignReading,
    design: Design,
    seconds: float,
    stopping: Event,
    named: Callable[[Trace], Branch],
    told: Callable[[Progress], None] | None = None,
    symmetry: bool | None = None,
) -> dict[str, Any]:
    """The findings of a search; `named` gives the branch of a trace, `told` gets the progress."""

    def look(progress: Progress) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt  # like Ctrl-C: the engine ends the search in order
        if told is not None:
            told(progress)

    try:
        result = checking.check(
            design,
            keep_going=True,
            symmetry=symmetry,
            timeout=seconds,
            max_memory=MOST_MEMORY,
            progress=look,
        )
    except SpecFailure as wrong:
        way = None if wrong.trace is None else str(named(wrong.trace))
        return {"failure": f"{wrong.where}: {wrong.message}", "branch": way}
    except KeyboardInterrupt:
        return {"failure": "the search was stopped before it began", "branch": None}
    keys = "verdict complete stopped distinct depth levels seconds coverage"
    return {
        "failure": "",
        **members(result, keys),
        "properties": [_property(reading, found, named) for found in result.properties],
    }


def _property(
    reading: DesignReading, found: PropertyResult, named: Callable[[Trace], Branch]
) -> dict[str, Any]:
    trace, lasso = found.trace, found.lasso
    return {
        **members(found, "name kind verdict"),
        "steps": None if trace is None else len(trace.steps),
        "branch": None if trace is None else str(named(trace)),
        "told": reading.lasso_lines(found.name, trace, lasso) if trace and lasso else [],
    }
