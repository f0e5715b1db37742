"""How much room the search core starts with, and how a table grows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from specmodel.machine.words import LANES

CHUNK = 1 << 14
BATCH = 1 << 12
FIRST_CAPACITY = 1 << 12
LOAD = 0.8
"""How full a table may get."""

UNEVEN, SPARE = 1.02, 1 << 10
"""Shards get more or less than their parts of the states: so many times as many, and so many."""

FIRST_TABLES = 1 << 20
"""Bytes of all tables of a search at first: small designs fit, and clearing them takes no time."""

SMALL_TABLE, LARGE_TABLE = 1 << 21, 1 << 26
"""Bytes up to which tables grow to a multiple, and from which on they grow by half."""


@dataclass(frozen=True)
class Sizes:
    """Capacities to start with: states a chunk, successors a batch, slots of all tables.

    The tables of so many `shards` are filled side by side, each with its part of the states: they
    take no more memory together than that of a single shard would, nor time to clear it.
    """

    chunk: int = CHUNK
    batch: int = BATCH
    table: int = FIRST_CAPACITY
    shards: int = 1

    @classmethod
    def of_search(cls, row: int, states: int = 0) -> Sizes:
        """What a search begins with, whose tables have rows of so many bytes.

        It may be known how many `states` it is going to find: tables need not grow then.
        """
        most = LARGE_TABLE // row
        known = int((min(states, most) * UNEVEN + SPARE) / LOAD) if states else 0
        return cls(table=max(FIRST_CAPACITY, FIRST_TABLES // row, min(known, most)))

    def shared_by(self, shards: int) -> Sizes:
        """These sizes for so many shards."""
        return replace(self, shards=shards)

    def for_bindings(self, bindings: int) -> Sizes:
        """Sizes that hold at least two blocks of successors a batch, and a batch a chunk."""
        batch = max(self.batch, 2 * LANES * bindings)
        return replace(self, chunk=max(self.chunk, -(-(batch + LANES) // 64) * 64), batch=batch)

    @property
    def slots(self) -> int:
        """Slots of a shard's first table."""
        return self.table // self.shards

    def growth(self, size: int) -> float:
        """By how much a table of so many bytes grows: the less, the more memory is at stake."""
        together = size * self.shards
        return 16 if together < SMALL_TABLE else 2 if together < LARGE_TABLE else 1.5
