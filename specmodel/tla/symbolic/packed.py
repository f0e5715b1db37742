"""Many states of a module, packed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast, overload

from specmodel.tla.symbolic.compiled import CompiledModule
from specmodel.tla.values import Value

TlaTuple = tuple[Value, ...]

TAKEN = 1 << 16
"""Rows of an array that are turned into numbers at a time."""


class PackedStates(Sequence[TlaTuple]):
    """States whose words are the rows of an array."""

    def __init__(self, module: CompiledModule, rows: Any) -> None:
        self.module = module
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> TlaTuple: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[TlaTuple]: ...
    def __getitem__(self, place: int | slice) -> TlaTuple | Sequence[TlaTuple]:
        if isinstance(place, slice):
            return PackedStates(self.module, self.rows[place])
        layout = self.module.layout
        return self.module.values(layout.unpack(tuple(self.rows[place].tolist())))

    def __contains__(self, state: object) -> bool:
        words = self.module.layout.pack(self.module.held(cast(TlaTuple, state)))
        same: Any = True
        for place, word in enumerate(words):
            same = same & (self.rows[:, place] == self.rows.dtype.type(word))
        return bool(same.any())

    def words(self) -> Iterator[tuple[int, ...]]:
        """The words of each state."""
        for start in range(0, len(self), TAKEN):
            yield from map(tuple, self.rows[start : start + TAKEN].tolist())
