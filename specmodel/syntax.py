"""Python's syntax trees, made by one thread at a time.

Where a finalizer runs while CPython 3.11 makes a tree, and lets another thread make one, the first
ends with SystemError: they share a count.
"""

from __future__ import annotations

import ast
import threading

_making = threading.RLock()
"""One that a thread may take twice: a finalizer may parse as well."""


def parsed(text: str, file: str = "<unknown>") -> ast.Module:
    """The tree of a file's text. Raises SyntaxError, ValueError, RecursionError, MemoryError."""
    with _making:
        return ast.parse(text, file)


def parsed_expression(text: str) -> ast.expr:
    """The tree of an expression. Raises the same."""
    with _making:
        return ast.parse(text, mode="eval").body
