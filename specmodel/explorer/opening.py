"""Opens a target: a design, or a trace with or without its design."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from specmodel.analysis.trace_files import design_of
from specmodel.constants import Value
from specmodel.errors import SpecmodelError
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.plain import PlainReading
from specmodel.explorer.reading import DesignReading
from specmodel.suite.targets import load_target
from specmodel.traces.itf_read import read_itf


def open_target(
    target: str, constants: Mapping[str, Value], profile: str = "", on: str = ""
) -> Behaviours:
    """The reading of a target: a trace file (`x.json`), or else a design.

    A trace is read by the rules of the design `on`, or else of its own. If its own design is
    missing or does not fit, it is shown without rules. Raises UsageError for a file that is not a
    trace, and the errors of a load for a named design.
    """
    if not target.endswith(".json"):
        return DesignReading(load_target(target, constants, profile))
    recorded = read_itf(Path(target))
    try:
        return DesignReading(design_of(recorded, on, constants, profile), recorded)
    except SpecmodelError as wrong:
        if on or constants or profile:
            raise
        return PlainReading(recorded, f"shown without its design: {wrong}")
