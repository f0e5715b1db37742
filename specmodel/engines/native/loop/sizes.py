"""The initial sizes of the search core's buffers and tables, and how a table grows."""

from __future__ import annotations

from dataclasses import replace

from specmodel.dataclass import dataclass
from specmodel.machine.words import LANES

CHUNK = 1 << 14
BATCH = 1 << 12
FIRST_CAPACITY = 1 << 12
LOAD = 0.8
"""The greatest load factor of a table."""

UNEVEN, SPARE = 1.02, 1 << 10
"""A shard's table is sized for its even share of the states, times UNEVEN, plus SPARE slots:
hashing spreads states unevenly.
"""

FIRST_TABLES = 1 << 20
"""Bytes of all tables of a search at first: enough for small designs, and cleared in no time."""

SMALL_TABLE, LARGE_TABLE = 1 << 21, 1 << 26
"""Tables grow to a multiple up to the first size, and by half from the second size on."""


@dataclass(frozen=True)
class Sizes:
    """Initial capacities: states of a chunk, successors of a batch, slots of all tables.

    The tables of `shards` shards are filled side by side, each with its share of the states.
    Together they take no more memory, and no more time to clear, than the table of a single shard.
    """

    chunk: int = CHUNK
    batch: int = BATCH
    table: int = FIRST_CAPACITY
    shards: int = 1

    @classmethod
    def of_search(cls, row: int, states: int = 0) -> Sizes:
        """The sizes for a search whose tables have rows of `row` bytes.

        If the number of `states` is known, the tables need not grow.
        """
        most = LARGE_TABLE // row
        known = int((min(states, most) * UNEVEN + SPARE) / LOAD) if states else 0
        return cls(table=max(FIRST_CAPACITY, FIRST_TABLES // row, min(known, most)))

    def shared_by(self, shards: int) -> Sizes:
        """These sizes, divided among this number of shards."""
        return replace(self, shards=shards)

    def for_bindings(self, bindings: int) -> Sizes:
        """Sizes with at least two blocks of successors in a batch, and a batch in a chunk."""
        batch = max(self.batch, 2 * LANES * bindings)
        return replace(self, chunk=max(self.chunk, -(-(batch + LANES) // 64) * 64), batch=batch)

    @property
    def slots(self) -> int:
        """Slots of a shard's first table."""
        return self.table // self.shards

    def growth(self, size: int) -> float:
        """The factor by which a table of `size` bytes grows: less for large ones, to save room."""
        together = size * self.shards
        return 16 if together < SMALL_TABLE else 2 if together < LARGE_TABLE else 1.5
