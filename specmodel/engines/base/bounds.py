"""Runs begin again with wider bounds when a value leaves those that were found so far."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from specmodel.design import Design
from specmodel.errors import BoundExceeded
from specmodel.options import Options
from specmodel.results import Result

if TYPE_CHECKING:
    from specmodel.walks.plan import WalkPlan

T = TypeVar("T")
Plan = TypeVar("Plan", Options, "WalkPlan")

GROWING = 3
"""After this many widenings in a run, a place may grow without end."""

ENDS = "what has no end needs a Range or a Capacity, or a @constraint in the spec"
"""The remark about a place that grows."""

LEAST_TIME = 0.01
"""Seconds that a run has left at least when it begins again."""


LIMITS = ("interrupted", "timeout", "max-states", "max-depth", "max-memory", "disk-full")
"""How a search stops that might have gone on for ever."""


def _tell_growing(design: Design, plan: Options | WalkPlan) -> None:
    """Remarks which places grow, after a search without an end."""
    from specmodel.suite.targets import growing  # few designs need it

    if plan.remark is not None and (names := growing(design)):
        plan.remark(f"still growing at the end of random walks: {', '.join(names)}; {ENDS}")


def within_bounds(design: Design, plan: Plan, run: Callable[[Plan], T]) -> T:
    """The result of a run, which begins again with wider bounds when a value leaves those found.

    The design has the wider bounds then. The time limit of the plan is for all of it. A remark
    names a place that has grown several times. Raises SpecError for a place that grows without end.
    """
    begun, grown = time.monotonic(), Counter[str]()
    while True:
        try:
            found = run(plan)
            if isinstance(found, Result) and found.stopped in LIMITS and found.bounds:
                _tell_growing(design, plan)
            return found
        except BoundExceeded as wrong:
            from specmodel.suite.targets import widen  # few designs need it

            widen(design, wrong)
            name = wrong.place.name
            grown[name] += 1
            if grown[name] >= GROWING and plan.remark is not None:
                plan.remark(f"{name} has grown {grown[name]} times, now to {wrong.high:,}; {ENDS}")
        if plan.timeout is not None:
            left = plan.timeout - (time.monotonic() - begun)
            plan = replace(plan, timeout=max(left, LEAST_TIME))
