"""The tables of a kernel: constants of a module, for the functions of `specmodel.kernel.parts`."""

from __future__ import annotations

from collections.abc import Iterable

from specmodel.machine.language import Structure

Word = int | str
"""A number, or the name of a function or table, for its address."""


def fields(kind: type[Structure], **values: Word) -> list[Word]:
    """The words of a structure without buffers, all of whose fields are given."""
    assert values.keys() == kind.fields.keys(), kind
    return [values[name] for name in kind.fields]


def table(name: str, values: Iterable[Word]) -> str:
    """An array of words."""
    items = ", ".join(
        f"i64 {value}" if isinstance(value, int) else f"i64 ptrtoint (ptr @{value} to i64)"
        for value in values
    )
    return f"@{name} = internal constant [{items.count('i64 ')} x i64] [{items}]\n"
