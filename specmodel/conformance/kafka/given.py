"""Observations of a consumer: the records that it has delivered to the application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MOST_OFFSETS = 16
"""Offsets that are observed; a trace has fewer."""


def given_records(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The last record delivered at each offset, as `record 0` and its value, or None."""
    nothing: dict[str, Any] = {f"record {offset}": None for offset in range(MOST_OFFSETS)}
    return nothing | {f"record {e['offset']}": e["value"] for e in events if "offset" in e}
