"""Ends an evaluation that takes long, when the search is to stop, or lets it wait."""

from __future__ import annotations

import time

from specmodel.liveness import Stopped

HALT: list[str] = []
"""Why the evaluation is to end; empty while it may go on."""

PAUSED = "paused"
"""Among the reasons: the evaluation is to wait until this one is removed."""

LOOK_EVERY = 0.05
"""Seconds between looks of an evaluation that waits."""


def wait() -> None:
    """Waits while the evaluation is paused."""
    while PAUSED in HALT:
        time.sleep(LOOK_EVERY)


def poll() -> None:
    """Waits while the evaluation is paused. Raises Stopped if it is to end."""
    wait()
    for why in HALT:  # a signal may change the reasons meanwhile
        if why != PAUSED:
            raise Stopped(why)
