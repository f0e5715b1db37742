"""Ctrl-C while threads work: heard by whoever waits for them, wherever it is just then.

SIGTERM and SIGHUP are heard as Ctrl-C is: a machine that is taken back sends the first, a terminal
that closes the second. A process for which they mean its end still ends by them, once what was
under way has been brought to an end.
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
    """What `work` gives, which is done in a thread of its own; raises what it raises.

    Calls `watch` every so many seconds meanwhile, and `stop` at Ctrl-C: it is to take no locks, as
    it may be called between any two instructions, and has the work end soon. `watch` may raise
    KeyboardInterrupt, as a caller's progress function may to end a search; however often it does,
    that is one Ctrl-C.

    However this ends, the work has ended before, and so has its thread. So what work opens it had
    better open and close itself: Ctrl-C is never raised in its thread.
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
            failures.clear()  # its traceback has this frame, which would keep it for long
    return given[0]


@contextmanager
def held_back(stop: Callable[[], None] = lambda: None) -> Generator[None]:
    """Ctrl-C waits until what must not be left half done is done, which `stop` may make soon."""
    with _on_interrupt(stop, again=True):
        yield


@contextmanager
def _on_interrupt(stop: Callable[[], None], again: bool = False) -> Generator[None]:
    """Calls `stop` in place of KeyboardInterrupt, which may come between any two instructions.

    What ends the process is raised again at the end; so is, with `again`, Ctrl-C.
    Does nothing in a thread other than the main one, which alone hears of Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ends = [n for n in (signal.SIGTERM, HANGUP) if n and signal.getsignal(n) is signal.SIG_DFL]
    heard: list[int] = []  # no event: it has a lock, for which a second signal would wait for ever

    def note(number: int) -> None:
        heard.append(number)
        stop()

    try:
        # Ctrl-C is the first in and the last out: it is not raised while others change hands.
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
