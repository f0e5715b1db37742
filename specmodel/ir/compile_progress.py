"""How far compiling has come, told to whoever waits for it, who may end it.

A spec is compiled in the thread that asks for it: symbolic execution says which binding it is at
and goes through a statement, and the watch that is set there hears of both. What the watch raises
ends the compilation. Watches are of a thread: one that compiles sets its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from specmodel.errors import Span, TooSlow

Watch = Callable[[str, Span | None], None]
"""Told what is compiled, as "fetch(r1, r2), binding 3 of 51", and at which statement."""

_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
_what: ContextVar[str] = ContextVar("what", default="")


@contextmanager
def watched(watch: Watch) -> Generator[None]:
    """While active, a watch hears of what is compiled in this thread."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


class Clock:
    """A limit of time in seconds, None if there is none, from now on."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.begun = time.perf_counter()

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.limit is not None and time.perf_counter() - self.begun > self.limit

    @contextmanager
    def limiting(
        self, undone: str, tell: Callable[[str], None] = lambda what: None
    ) -> Generator[None]:
        """While active, compiling in this thread raises TooSlow when the time is up.

        `undone` is what has not been done by then, as "no state was searched". `tell` is told what
        is compiled, and may raise too.
        """
        statement: Span | None = None

        def watch(what: str, span: Span | None) -> None:
            nonlocal statement
            statement = span or statement
            if self.late:
                raise TooSlow(
                    f"{undone} within {self.limit:g} s, as compiling takes longer; it was at "
                    f"{what}",
                    statement,
                    "an action is compiled for each binding, and each key, member and element "
                    "that it may touch: take smaller ranges, or more time",
                )
            tell(what)

        with watched(watch):
            yield


def at(what: str) -> None:
    """Compiling has come to something: a binding, a property, machine code."""
    _what.set(what)
    look()


def look(span: Span | None = None) -> None:
    """Lets the watch look at the clock."""
    watch = _watch.get()
    if watch is not None:
        watch(_what.get(), span)
