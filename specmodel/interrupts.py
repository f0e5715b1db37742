"""Ctrl-C while threads work: heard by whoever waits for them, wherever it is just then."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


def attend(
    over: threading.Event, watch: Callable[[], None], stop: Callable[[], None], every: float
) -> None:
    """Waits until something is over, calls `watch` every so many seconds, and `stop` at Ctrl-C.

    `watch` may raise KeyboardInterrupt, as a caller's progress function may to end a search.
    """
    with _on_interrupt(stop):
        while not over.wait(every):
            try:
                watch()
            except KeyboardInterrupt:
                stop()


@contextmanager
def held_back() -> Generator[None]:
    """Ctrl-C waits until what must not be left half done is done."""
    heard = threading.Event()
    with _on_interrupt(heard.set):
        yield
    if heard.is_set():
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _on_interrupt(stop: Callable[[], None]) -> Generator[None]:
    """Calls `stop` in place of KeyboardInterrupt, which may come between any two instructions.

    Does nothing in a thread other than the main one, which alone hears of Ctrl-C, nor where it is
    ignored.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
