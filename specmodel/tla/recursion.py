"""The stack for deeply nested expressions and recursive definitions."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from specmodel.tla.pausing import HALT

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


def deeply(call: Callable[[], Made]) -> Made:
    """The result of a call, which may recurse deeply. Raises the errors of the call."""
    with deep_stack(), ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(call).result()
        except KeyboardInterrupt:
            HALT.append("interrupted")  # the pool waits for its thread
            raise
