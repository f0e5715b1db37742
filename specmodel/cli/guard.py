"""Turns the errors of every command into a message and an exit code, never a traceback."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from specmodel.cli import interrupts
from specmodel.cli.groups import opened
from specmodel.cli.output import silence
from specmodel.errors import (
    BoundExceeded,
    Span,
    SpecmodelError,
    SpecmodelWarning,
    TooSlow,
    described,
    shown,
)
from specmodel.ir import compile_progress

HOLDS, VIOLATED, WRONG, INCOMPLETE = 0, 1, 2, interrupts.INTERRUPTED

EXIT_CODES = (
    dict.fromkeys(("holds", "proved", "equal", "passed"), HOLDS)
    | dict.fromkeys(("violated", "failed", "different"), VIOLATED)
    | dict.fromkeys(("incomplete", "unknown"), INCOMPLETE)
    | {"broken": WRONG}
)
"""The exit code by the verdict with which a command ends."""

DEBUG = "SPECMODEL_DEBUG"

SECONDS_BETWEEN = 5.0
"""Seconds between two notes on what is compiled; the first comes after a second."""


def guarded(command: Callable[..., int]) -> Callable[..., NoReturn]:
    """Turns a command that returns its exit code into one that ends the process with it.

    Its parameters are the options of its groups, as typer needs them.

    A SpecmodelError becomes its message on stderr. Any unforeseen error does so too, in one line,
    unless the environment asks for the traceback.
    """

    signature, called = opened(command)

    @functools.wraps(command)
    def run(**given: Any) -> NoReturn:
        warnings.showwarning = _noted
        try:
            interrupts.begin()
            with compile_progress.watched(_compiling()):
                code = _exit_code(lambda: called(**given))
            interrupts.end()
        except KeyboardInterrupt:
            interrupts.end()
            complain("interrupted")
            code = INCOMPLETE
        raise typer.Exit(code)

    setattr(run, "__signature__", signature)  # noqa: B010 - what typer reads
    run.__annotations__ = {}
    return run


def _compiling() -> compile_progress.Watch:
    """Notes what a command compiles, on a terminal, for commands without a line of progress."""
    last, every = time.monotonic(), 1.0

    def watch(what: str, span: Span | None) -> None:
        nonlocal last, every
        now = time.monotonic()
        if now - last > every and sys.stderr and sys.stderr.isatty():
            last, every = now, SECONDS_BETWEEN
            remark(f"compiling {what}")

    return watch


def _exit_code(command: Callable[[], int]) -> int:
    """The exit code of a command. If the command ends in an error, the error is printed."""
    try:
        return _within_bounds(command)
    except TooSlow as wrong:
        remark(str(wrong))
        return wrong.exit_code
    except SpecmodelError as wrong:
        complain(str(wrong))
        return wrong.exit_code
    except typer.Exit as ended:
        return ended.exit_code
    except BaseException as wrong:
        if os.environ.get(DEBUG) or isinstance(wrong, KeyboardInterrupt | SystemExit):
            raise
        return _unforeseen(wrong)


def _within_bounds(command: Callable[[], int]) -> int:
    """The exit code of a command, which begins again when a value leaves the bounds found so far,
    with the design loaded anew."""
    while True:
        try:
            return command()
        except BoundExceeded as wrong:
            from specmodel.lang.bounds import widen  # few commands need it

            widen(wrong)


def _unforeseen(wrong: BaseException) -> int:
    """The exit code for an error of the machine or a defect of ours, which is printed."""
    if _out_of_memory(wrong):
        complain("out of memory: bound the search with --max-memory or --max-states")
        return INCOMPLETE
    if isinstance(wrong, OSError):  # a full disk, a name too long, a folder gone
        complain(f"{wrong.filename}: {wrong.strerror}" if wrong.filename else str(wrong))
    else:
        complain(f"internal error: {described(wrong)} (set {DEBUG}=1 for the traceback)")
    return WRONG


def _out_of_memory(wrong: BaseException | None) -> bool:
    """Whether memory was missing, which threads and loaded libraries need as well."""
    if isinstance(wrong, OSError | ImportError):
        refused = getattr(wrong, "errno", 0) == errno.ENOMEM
        refused = refused or "failed to map segment" in str(wrong)
        return refused or _out_of_memory(wrong.__context__)
    no_thread = isinstance(wrong, RuntimeError) and str(wrong) == "can't start new thread"
    return no_thread or isinstance(wrong, MemoryError)


_usual_warning = warnings.showwarning


def _noted(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Shows a warning: one of specmodel's own without its line of code."""
    if issubclass(category, SpecmodelWarning):
        remark(str(message))
    else:
        _usual_warning(message, category, *place, **more)


def complain(message: str) -> None:
    """Prints an error on stderr."""
    _tell(f"error: {message}")


def remark(message: str) -> None:
    """Prints a remark on stderr that is not an error."""
    _tell(f"note: {message}")


def _tell(line: str) -> None:
    # If stderr is closed or full, no message is possible; the exit code still shows the error.
    with contextlib.suppress(OSError, AttributeError):
        try:
            sys.stderr.write(f"{shown(line)}\n")
            sys.stderr.flush()
        except OSError:  # Python would end with its own exit code, when it flushes the rest
            silence(sys.stderr)
