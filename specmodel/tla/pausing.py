"""Ends an evaluation that takes long, when the search is to stop."""

from __future__ import annotations

from specmodel.liveness import Stopped

HALT: list[str] = []
"""Why the evaluation is to end; empty while it may go on."""


def poll() -> None:
    """Raises Stopped if the evaluation is to end."""
    if HALT:
        raise Stopped(HALT[0])
