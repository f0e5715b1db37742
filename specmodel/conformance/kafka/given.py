"""Observations of clients: the records that a consumer has delivered to the application, and what
a producer has said of those that it was asked to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MOST_OFFSETS = 16
"""Offsets that are observed; a trace has fewer."""


def given_records(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The last record delivered at each offset, as `record 0` and its value, or None."""
    nothing: dict[str, Any] = {f"record {offset}": None for offset in range(MOST_OFFSETS)}
    return nothing | {f"record {e['offset']}": e["value"] for e in events if "offset" in e}


def results_of_sends(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """For each record that was sent, `acknowledged` or `failed`; None while neither is known."""
    results: dict[str, Any] = {f"m{record}": None for record in range(MOST_OFFSETS)}
    for event in events:
        for result in ("acknowledged", "failed"):
            if result in event:
                results[str(event[result])] = result
    return results
