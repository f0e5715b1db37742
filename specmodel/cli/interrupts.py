"""Ctrl-C at any moment of a command's life: one line and an exit code, never a traceback.

Python raises KeyboardInterrupt between any two instructions, also where it does harm: in the middle
of an import, where libraries turn it into other errors or swallow it; while the arguments are read,
for which Typer has its own exit code; in finalizers and callbacks, whose exceptions are printed and
forgotten; when the interpreter is ending. So a command sets its phase, the effect of Ctrl-C depends
on the phase, and a lost interrupt is repeated.

SIGTERM and SIGHUP have the same effect: whoever sends them wants the last checkpoint and the
results so far.
"""

from __future__ import annotations

import os
import signal
import sys
from enum import Enum, auto

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import FrameType

INTERRUPTED = 3

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

SOON = 0.02
"""Seconds after which a failed interrupt is tried again."""


class _Phase(Enum):
    """A phase of a command's life."""

    STARTING = auto()
    """There is nothing to lose yet: the process ends at once."""

    WORKING = auto()
    """KeyboardInterrupt is raised, which the command handles; during an import it is raised after
    the import, unless Ctrl-C comes a second time.
    """

    OVER = auto()
    """All results are printed: the exit code is final."""


_part = _Phase.STARTING
_waiting: int | None = None
"""The signal that could not interrupt when it came, and is to be repeated."""

_last: int = signal.SIGINT
"""The last signal."""


def listen() -> None:
    """Handles Ctrl-C from now on, as at the start of a command.

    It stays ignored if it was, as for commands that a shell runs in the background.
    """
    global _part, _waiting
    _part, _waiting = _Phase.STARTING, None
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _heard)
            sys.unraisablehook = _forgotten


def begin() -> None:
    """From now on, Ctrl-C interrupts the work."""
    global _part
    _part = _Phase.WORKING


def end() -> None:
    """From now on, Ctrl-C does nothing."""
    global _part, _waiting
    _part = _Phase.OVER
    if _waiting is not None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _waiting = None


def ignore() -> None:
    """Ignores Ctrl-C while the interpreter ends, when it calls no handler of a program."""
    end()
    for number in SIGNALS:
        if signal.getsignal(number) is _heard:
            signal.signal(number, signal.SIG_IGN)


def _heard(number: int, frame: FrameType | None) -> None:
    global _last
    _last = number
    if _part is _Phase.STARTING:
        os.write(2, b"error: interrupted\n")
        os._exit(INTERRUPTED)
    if _part is _Phase.OVER:
        return
    if _importing(frame) and _waiting is None and hasattr(signal, "setitimer"):
        _try_soon(number)
        return
    raise KeyboardInterrupt


def _try_soon(number: int) -> None:
    global _waiting
    _waiting = number
    signal.signal(signal.SIGALRM, _look_again)
    signal.setitimer(signal.ITIMER_REAL, SOON)


def _look_again(number: int, frame: FrameType | None) -> None:
    if _part is _Phase.OVER or _waiting is None:
        return
    if _importing(frame):
        signal.setitimer(signal.ITIMER_REAL, SOON)
    else:  # not raised here: a search that has begun meanwhile has a handler of its own
        signal.raise_signal(_waiting)


def _forgotten(unraisable: UnraisableHookArgs) -> None:
    if issubclass(unraisable.exc_type, KeyboardInterrupt) and hasattr(signal, "setitimer"):
        _try_soon(_last)
    else:
        sys.__unraisablehook__(unraisable)


def _importing(frame: FrameType | None) -> bool:
    """Whether this frame, or one that called it, is importing a module."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
