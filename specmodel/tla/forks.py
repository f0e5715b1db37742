"""Processes that are forks of this one, for parts of a search by the evaluator."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress

LOOK_EVERY = 0.5
"""Seconds between looks of a process whether the one that started it is still there."""


def forked(work: Callable[[int], None]) -> tuple[int, int]:
    """A process that does some work, and the end of a pipe to which the work writes.

    It ends with the work, and with the process that started it. Ctrl-C does not end it. Where other
    threads hold locks, it may wait for ever. Raises OSError if there can be none.
    """
    starter = os.getpid()
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are other threads
        try:
            process = os.fork()
        except OSError:
            os.close(ours)
            os.close(theirs)
            raise
    if process:
        os.close(theirs)
        return process, ours
    try:
        for each in (signal.SIGINT, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        threading.Thread(target=_end_without, args=(starter,), daemon=True).start()
        work(theirs)
    finally:
        os._exit(0)


def end(process: int) -> None:
    """Ends a process, if it is still there."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    with suppress(ChildProcessError):  # where children are not waited for
        os.waitpid(process, 0)


def _end_without(starter: int) -> None:
    while os.getppid() == starter:
        time.sleep(LOOK_EVERY)
    os._exit(1)
