"""Ctrl-C while threads work: the waiting thread handles it.

SIGTERM and SIGHUP are handled like Ctrl-C: a machine that is shut down sends the first, a terminal
that closes the second. A process that they would end still ends by them, after the running work has
been ended in order.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

HANGUP: int | None = getattr(signal, "SIGHUP", None)


def attend(
    work: Callable[[], T], watch: Callable[[], None], stop: Callable[[], None], every: float
) -> T:
    """The result of `work`, which runs in a thread of its own; raises its errors.

    Meanwhile, calls `watch` every `every` seconds, and `stop` at Ctrl-C. `stop` must take no locks,
    because it may be called between any two instructions, and must end the work soon. `watch` may
    raise KeyboardInterrupt, as a caller's progress function may do to end a search; repeated ones
    count as one Ctrl-C.

    However this ends, the work and its thread have ended before. So the work should open and close
    its own resources: Ctrl-C is never raised in its thread.
    """
    given: list[T] = []
    failures: list[BaseException] = []
    over = threading.Event()
    ending = False

    def worked() -> None:
        try:
            given.append(work())
        except BaseException as wrong:
            failures.append(wrong)
        finally:
            over.set()

    with _on_interrupt(stop):
        thread = threading.Thread(target=worked, name="specmodel_search", daemon=True)
        thread.start()
        try:
            while not over.wait(every):
                try:
                    watch()
                except KeyboardInterrupt:
                    if not ending:
                        ending = True
                        stop()
        except BaseException:
            stop()
            raise
        finally:
            thread.join()
    if failures:
        try:
            raise failures[0]
        finally:
            failures.clear()  # its traceback refers to this frame, which would live too long
    return given[0]


@contextmanager
def held_back(stop: Callable[[], None] = lambda: None) -> Generator[None]:
    """Delays Ctrl-C until the critical work is done; `stop` may end the work sooner."""
    with _on_interrupt(stop, again=True):
        yield


@contextmanager
def _on_interrupt(stop: Callable[[], None], again: bool = False) -> Generator[None]:
    """Calls `stop` instead of raising KeyboardInterrupt, which may come between any two
    instructions.

    A signal that ends the process is raised again at the end; so is, with `again`, Ctrl-C. Does
    nothing in a thread other than the main one, which alone gets signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ends = [n for n in (signal.SIGTERM, HANGUP) if n and signal.getsignal(n) is signal.SIG_DFL]
    heard: list[int] = []  # not an event: its lock would make a second signal wait for ever

    def note(number: int) -> None:
        heard.append(number)
        stop()

    try:
        # Ctrl-C is the first to be set and the last to be restored: it is not raised in between.
        with (
            _handled(signal.SIGINT, note),
            _handled(signal.SIGTERM, note),
            _handled(HANGUP, note),
        ):
            yield
    finally:
        for number in heard:
            if again or number in ends:
                signal.raise_signal(number)


@contextmanager
def _handled(number: int | None, heard: Callable[[int], None]) -> Generator[None]:
    """Calls `heard` at a signal that the system has, unless the process ignores it."""
    before = None if number is None else signal.getsignal(number)
    if number is None or before in (signal.SIG_IGN, None):
        yield
        return
    try:
        signal.signal(number, lambda number, frame: heard(number))
        yield
    finally:
        signal.signal(number, before)
