"""A shard on the machine that works on it: its table, brought to the level of the log.

The log is the truth. The table in a file of this machine may be of an earlier level, because other
machines may have worked on the shard since. Then it takes the levels in between from the log. If
the file is not sealed, it takes all levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from specmodel.engines.native.loop.chunks import Chunk
from specmodel.engines.native.shard import Shard
from specmodel.engines.spark.expander import Expander
from specmodel.engines.spark.log import StateLog
from specmodel.engines.spark.tables import TableFile


class LocalShard:
    """One shard of a run, in one process. Other processes of the machine may use it as well."""

    def __init__(self, number: int, log: StateLog, folder: Path, expander: Expander) -> None:
        """`folder` is the machine's folder for tables."""
        self.number = number
        self.log = log
        self.file = TableFile(folder, number)
        self.expander = expander
        self.shard: Shard | None = None

    def insert(self, level: int, packed: Iterable[bytes]) -> Sequence[Chunk]:
        """The new states of a level among packed ones, which are in the log then.

        Reads all of its input.

        Raises OSError, DamagedRun, LevelLimit.
        """
        if self.log.has(level, self.number):
            for _ in packed:
                pass  # Spark ends a worker that does not read all of its input
            return list(self.log.read(level, self.number, self.expander.pool))
        with self.file.locked():
            try:
                return self._insert(level, packed)
            except BaseException:
                self.shard = None
                self.file.forget()
                raise

    def _insert(self, level: int, packed: Iterable[bytes]) -> Sequence[Chunk]:
        shard = self._ready(level)
        first = shard.rows
        self.file.open()
        shard.mark(level)
        for some in packed:
            chunk = self.expander.pool.take()
            chunk.unpack(some)
            shard.inbox.push(chunk)
            shard.drain()
        fresh = shard.take_fresh()
        self.log.write(level, self.number, first, fresh)
        self.file.seal(level + 1, shard.rows)
        return fresh

    def _ready(self, levels: int) -> Shard:
        """The shard with all its states of the first `levels` levels, and no others."""
        shard = self.shard or self.expander.shard(self.number, self.file.region)
        self.shard = shard
        found = self.file.current()
        if found is None or found[1] > levels:
            found = self.file.region(self.expander.empty_table), 0, 0
        table, known, rows = found
        shard.use_table(table, rows)
        if known < levels:
            self.file.open()
            self._catch_up(shard, known, levels)
        return shard

    def _catch_up(self, shard: Shard, known: int, levels: int) -> None:
        """Takes the states of the levels that it lacks from the log."""
        counts = [self.log.count(level, self.number) for level in range(known, levels)]
        shard.reserve(shard.rows + sum(counts))
        for level in range(known, levels):
            shard.mark(level)
            for chunk in self.log.read(level, self.number, self.expander.pool):
                shard.inbox.push(chunk)
                shard.drain()
            for chunk in shard.take_fresh():
                self.expander.pool.give(chunk)
