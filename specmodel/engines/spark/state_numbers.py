"""The numbers of a shard's states, by their words: a table in a file of the machine.

The first process that asks for the table makes it from the log, and all processes of the machine
share it. Like the tables of a search, it is a cache: it can be made again.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from specmodel.engines.native.loop.chunks import ChunkPool
from specmodel.engines.native.loop.memory import Region
from specmodel.engines.native.numbering import buckets_for, number_states, table_size
from specmodel.engines.spark.log import StateLog
from specmodel.engines.spark.step_rows import StepRows, settle_steps
from specmodel.engines.spark.tables import TableFile
from specmodel.space.files import SHARD_SHIFT


class ShardNumbers:
    """The table of one shard, over some levels, in one process."""

    def __init__(
        self, shard: int, shards: int, levels: int, log: StateLog, rows: StepRows, folder: Path
    ) -> None:
        """`folder` is the machine's folder for these tables of this log. Raises DamagedRun."""
        self.shard = shard
        self.shards = shards
        self.levels = levels
        self.log = log
        self.rows = rows
        counts = [log.count(level, shard) for level in range(levels)]
        self.starts = list(accumulate(counts, initial=0))
        self._file = TableFile(folder, shard)
        self._table: Region | None = None

    @property
    def base(self) -> int:
        """The number to add to a state's number to get its id."""
        return self.shard << SHARD_SHIFT

    @property
    def _buckets(self) -> int:
        return buckets_for(self.rows.words, self.starts[-1])

    def settle(
        self, steps: NDArray[np.uint64], source_shard: int, first: int, best: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The numbers of the targets of steps, -1 for targets that are not states.

        The states from number `first` on are new, one for each row of `best`, which keeps the best
        steps to them (`settle_steps`).
        """
        assert self._table is not None
        numbers = np.empty(len(steps), np.int64)
        asked = steps.ctypes.data, len(steps), source_shard, numbers.ctypes.data
        new = first, len(best), best.ctypes.data
        self.rows.code[settle_steps](*self._where(self._table), *asked, *new)
        return numbers

    def open(self, pool: ChunkPool) -> None:
        """Opens the table, made if necessary. Raises OSError, DamagedRun."""
        if self._table is not None:
            return
        with self._file.locked():
            found = self._file.current()
            if found is not None and found[0] is not None and found[1] == self.levels:
                self._table = found[0]
                return
            table = self._file.region(table_size(self.rows.words, self._buckets))
            for level in range(self.levels):
                self._put_in(level, table, pool)
            self._file.seal(self.levels, self.starts[-1])
            self._table = table

    def _where(self, table: Region) -> tuple[int, int, int]:
        """The arguments for a table: its address, its buckets, and the number of shards."""
        return table.address, self._buckets, self.shards

    def _put_in(self, level: int, table: Region, pool: ChunkPool) -> None:
        first = self.starts[level]
        for chunk in self.log.read(level, self.shard, pool):
            states = chunk.address, chunk.capacity, chunk.count
            self.rows.code[number_states](*self._where(table), *states, first)
            first += chunk.count
            pool.give(chunk)
