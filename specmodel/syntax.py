"""Python's syntax trees, made by one thread at a time.

CPython 3.11 has a defect: if a finalizer runs while a thread makes a tree, and lets another thread
make one, the first thread ends with SystemError, because they share a counter.
"""

from __future__ import annotations

import ast
import threading

_making = threading.RLock()
"""A thread may take it twice, because a finalizer may parse as well."""


def parsed(text: str, file: str = "<unknown>") -> ast.Module:
    """The tree of a file's text. Raises SyntaxError, ValueError, RecursionError, MemoryError."""
    with _making:
        return ast.parse(text, file)


def parsed_expression(text: str) -> ast.expr:
    """The tree of an expression. Raises the same."""
    with _making:
        return ast.parse(text, mode="eval").body
