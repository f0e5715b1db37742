"""Who spoke to whom along a behaviour, as the page draws it: a row for each state."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import DesignReading
from specmodel.graphs.sequence import chart

MOST_CHARTED = 1000
"""The most states of a behaviour that has a chart: each state is a row of the page."""


def charted(reading: DesignReading, branch: Branch) -> dict[str, Any]:
    """The lifelines of a behaviour, its steps on them, its messages, and who leads when.

    Numbers are those of states. Raises UsageError for a behaviour that is too long, and for one
    with a step that the design does not allow.
    """
    if branch.length > MOST_CHARTED:
        raise UsageError(f"a chart has at most {MOST_CHARTED:,} states, not {branch.length:,}")
    trace = reading.tree.trace(branch)
    recorded = reading.recorded
    if recorded is not None and branch == reading.start and recorded.loop is not None:
        trace = replace(trace, loop=recorded.loop)
    found = chart(reading.spec, trace, reading.design.name)
    return {
        "lifelines": list(found.lifelines),
        "events": [asdict(event) for event in found.events],
        "messages": [asdict(arrow) for arrow in found.messages],
        "leaderships": [asdict(run) for run in found.leaderships],
    }
