"""The progress of compiling a spec, reported to a watch that may stop it.

The thread that asks for compiled code compiles it, and sets a watch of its own. Symbolic execution
calls the watch at each binding and at each statement. An exception of the watch stops compiling.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from specmodel.errors import Span, TooSlow

Watch = Callable[[str, Span | None], None]
"""Called with what is compiled, as "fetch(r1, r2), binding 3 of 51", and the statement."""

_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
_what: ContextVar[str] = ContextVar("what", default="")


@contextmanager
def watched(watch: Watch) -> Generator[None]:
    """While active, compiling in this thread calls a watch."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


class Clock:
    """A limit of time from now on, in seconds; None is no limit."""

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

        The message begins with `undone`, such as "no state was searched". `tell` is called with
        what is compiled, and may raise too.
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
    """Reports that the compilation of a binding, a property or machine code begins."""
    _what.set(what)
    look()


def look(span: Span | None = None) -> None:
    """Calls the watch, if there is one, at a statement."""
    watch = _watch.get()
    if watch is not None:
        watch(_what.get(), span)
