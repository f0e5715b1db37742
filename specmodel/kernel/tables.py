"""The tables of a kernel: constants of a module, for the functions of `specmodel.kernel.parts`."""

from __future__ import annotations

from collections.abc import Iterable


def table(name: str, values: Iterable[int | str]) -> str:
    """An array of words: numbers, and names of functions and tables for their addresses."""
    items = ", ".join(
        f"i64 {value}" if isinstance(value, int) else f"i64 ptrtoint (ptr @{value} to i64)"
        for value in values
    )
    return f"@{name} = internal constant [{items.count('i64 ')} x i64] [{items}]\n"
