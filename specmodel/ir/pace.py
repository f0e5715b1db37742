"""How far compiling has come, told to whoever waits for it, who may end it.

A spec is compiled in the thread that asks for it: symbolic execution says which binding it is at
and goes through a statement, and the watch that is set there hears of both. What the watch raises
ends the compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from specmodel.errors import Span

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


def at(what: str) -> None:
    """Compiling has come to something: a binding, a property, machine code."""
    _what.set(what)
    look()


def look(span: Span | None = None) -> None:
    """Lets the watch look at the clock."""
    watch = _watch.get()
    if watch is not None:
        watch(_what.get(), span)
