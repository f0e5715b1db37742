"""The stack for deeply nested expressions and recursive definitions."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

from specmodel.errors import Span, SpecError
from specmodel.tla.pausing import HALT, poll

Made = TypeVar("Made")

_DEEPEST = 60_000
_STACK = 512 << 20
"""Bytes of stack of a thread: each call of a recursive definition takes several of Python."""


@contextmanager
def deep_stack() -> Generator[None]:
    """Threads that are started within have a stack for deep recursion."""
    limit, size = sys.getrecursionlimit(), threading.stack_size()
    sys.setrecursionlimit(_DEEPEST)
    threading.stack_size(_STACK)
    HALT.clear()
    try:
        yield
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)


def too_deep(span: Span | None = None) -> SpecError:
    """The error of an evaluation that is deeper than the stack."""
    return SpecError("the evaluation is too deeply nested", span, "a recursion may have no end")


_own = threading.local()
"""Whether a thread has a deep stack, in `deep`: starting another one takes a millisecond."""


def deeply(call: Callable[[], Made]) -> Made:
    """The result of a call, which may recurse deeply.

    Within another one, raises Stopped where that is to end. Raises the errors of the call.
    """
    if getattr(_own, "deep", False):
        poll()
        return call()

    def called() -> Made:
        _own.deep = True
        return call()

    with deep_stack(), ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(copy_context().run, called).result()
        except KeyboardInterrupt:
            HALT.append("interrupted")  # the pool waits for its thread
            raise
