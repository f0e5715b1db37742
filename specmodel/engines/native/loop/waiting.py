"""Waiting for another thread without Python's lock, in machine Python."""

from __future__ import annotations

from specmodel.machine.language import acquire, i64, machine, pause, ptr


@machine
def wait_for(word: ptr, value: i64, times: i64) -> i64:
    """Reads a word up to `times` times until it is at least a value; returns whether it is."""
    for _ in range(times):
        if acquire(word) >= value:
            return 1
        pause()
    return 0
