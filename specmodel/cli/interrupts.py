"""Ctrl-C at any moment of a command's life: one line and an exit code, never a traceback.

Python raises KeyboardInterrupt between any two instructions, also where nobody can bear it: in the
middle of an import, which libraries turn into errors of their own or swallow; while the arguments
are read, for which Typer has an exit code of its own; in finalizers and callbacks, whose exceptions
are printed and forgotten; when the interpreter is on its way out. So a command says which part of
its life it is in, what Ctrl-C does depends on that, and one that was forgotten comes again.

SIGTERM and SIGHUP do the same: who sends them wants the last checkpoint and what there is to tell.
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
"""Seconds after which it is tried again to interrupt what could not be interrupted."""


class _Phase(Enum):
    """A part of a command's life."""

    STARTING = auto()
    """Nothing is at stake yet: the process ends at once."""

    WORKING = auto()
    """KeyboardInterrupt is raised, which the command deals with; after an import, if it is in one,
    unless Ctrl-C comes a second time."""

    OVER = auto()
    """All has been told: the exit code stands."""


_part = _Phase.STARTING
_waiting: int | None = None
"""The signal that could not interrupt when it came, and is to come again."""

_last: int = signal.SIGINT
"""The signal that came last."""


def listen() -> None:
    """Answers Ctrl-C from now on, as in the start of a command.

    It stays ignored if it was, as it is in what a shell runs in the background.
    """
    global _part, _waiting
    _part, _waiting = _Phase.STARTING, None
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _heard)
            sys.unraisablehook = _forgotten


def begin() -> None:
    """From now on there is work that Ctrl-C interrupts."""
    global _part
    _part = _Phase.WORKING


def end() -> None:
    """From now on there is none: Ctrl-C does nothing."""
    global _part, _waiting
    _part = _Phase.OVER
    if _waiting is not None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _waiting = None


def ignore() -> None:
    """Ignores Ctrl-C while the interpreter ends, when no handler of a program's own is called."""
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
    """Whether a module is being imported that this frame, or one that called it, has asked for."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
