"""How much room the search core starts with, and how a table grows."""

from __future__ import annotations

from dataclasses import dataclass

from specmodel.engines.native.memory import LANES

CHUNK = 1 << 14
BATCH = 1 << 12
FIRST_CAPACITY = 1 << 12
LOAD = 0.8
"""How full a table may get."""

SMALL_TABLE, LARGE_TABLE = 1 << 21, 1 << 26
"""Bytes up to which a table grows to a multiple, and from which on it grows by half."""


@dataclass(frozen=True)
class Sizes:
    """Capacities to start with: states a chunk, successors a batch, slots a table."""

    chunk: int = CHUNK
    batch: int = BATCH
    table: int = FIRST_CAPACITY

    def for_bindings(self, bindings: int) -> Sizes:
        """Sizes that hold at least two blocks of successors a batch, and a batch a chunk."""
        batch = max(self.batch, 2 * LANES * bindings)
        return Sizes(max(self.chunk, -(-batch // 64) * 64), batch, self.table)


def growth(size: int) -> float:
    """By how much a table of so many bytes grows: the less, the more memory is at stake."""
    return 16 if size < SMALL_TABLE else 2 if size < LARGE_TABLE else 1.5
