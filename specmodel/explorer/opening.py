"""Opens a target: a design, or a trace with or without its design."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from specmodel.analysis.checking import check
from specmodel.analysis.trace_files import design_of
from specmodel.constants import Value
from specmodel.design import Design
from specmodel.domains.found import bounded
from specmodel.errors import SpecmodelError
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.plain import PlainReading
from specmodel.explorer.reading import DesignReading
from specmodel.results import SpecFailure
from specmodel.suite.targets import load_target
from specmodel.traces.itf_read import read_itf

MOST_STATES, SECONDS = 200_000, 5.0
"""The limits of the search for bounds that a design does not declare."""


def with_room(design: Design) -> Design:
    """The design; if it leaves bounds to the search, with those of its first states."""
    if not bounded(design.spec.domain):
        with suppress(SpecFailure):  # which the page shows
            check(design, keep_going=True, max_states=MOST_STATES, timeout=SECONDS)
    return design


def open_target(
    target: str, constants: Mapping[str, Value], profile: str = "", on: str = ""
) -> Behaviours:
    """The reading of a target: a trace file (`x.json`), or else a design.

    A trace is read by the rules of the design `on`, or else of its own. If its own design is
    missing or does not fit, it is shown without rules. Raises UsageError for a file that is not a
    trace, and the errors of a load for a named design.
    """
    if not target.endswith(".json"):
        return DesignReading(with_room(load_target(target, constants, profile)))
    recorded = read_itf(Path(target))
    try:
        return DesignReading(with_room(design_of(recorded, on, constants, profile)), recorded)
    except SpecmodelError as wrong:
        if on or constants or profile:
            raise
        return PlainReading(recorded, f"shown without its design: {wrong}")
