"""The states of a shard that are not in its table: sorted runs, in memory or on disk.

A search starts with all states in the table. When the table may not grow further, its states become
a sorted run, and the table is emptied. From then on the table holds candidates: states that may be
in a run. At the end of a level, or when the table is full again, the candidates that are in no run
become a new run; these are the new states. Runs are merged to keep their number small, because each
lookup searches all runs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from specmodel.engines.native.loop.memory import DiskFull, Memory
from specmodel.engines.native.stores import runs
from specmodel.engines.native.stores.run import (
    ITEMS,
    Hashes,
    InMemory,
    OnDisk,
    RunStorage,
    RunWriter,
    SortedRun,
    merged,
)
from specmodel.errors import UsageError
from specmodel.ir.layout import Layout
from specmodel.results import Options

LEAST_TABLE = 1 << 20
"""Bytes that the tables of all shards may take together in any case."""

TABLE_SHARE = 0.1
"""The size of the table of candidates relative to the bytes of the runs, if runs are in memory."""

MERGE_UP_TO = 2.0
"""An older run is merged with newer ones if it has at most MERGE_UP_TO times as many states.

A larger factor gives fewer runs to search, and moves states more often.
"""

SPARE = 0.25
"""The part of the memory limit that tables leave for everything else, if runs are on disk."""


class CompressedStore:
    """Runs in memory. Tables stay small."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def place(self, most: int) -> RunStorage:
        return InMemory(self.memory, most)

    def may_grow(self, size: int, more: int, shards: int, held: int) -> bool:
        """Whether a table may grow to a size, by `more`, where a shard's runs take `held` bytes."""
        return size <= max(LEAST_TABLE // shards, TABLE_SHARE * held)


class SpillStore:
    """Runs on disk, in files of a folder. Tables take the remaining memory."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self.memory = memory
        self.folder = folder

    def place(self, most: int) -> RunStorage:
        return OnDisk(self.folder)

    def may_grow(self, size: int, more: int, shards: int, held: int) -> bool:
        """Whether a table may grow to a size, by `more`, where a shard's runs take `held` bytes."""
        limit = self.memory.limit
        return limit is None or self.memory.used + more <= limit * (1 - SPARE)


Store = CompressedStore | SpillStore


def open_store(options: Options, memory: Memory) -> Store | None:
    """The store that the options ask for. Raises UsageError."""
    if options.spill is None:
        return CompressedStore(memory) if options.compress else None
    if options.compress:
        raise UsageError("states are kept compressed in memory or spilled to disk, not both")
    try:
        options.spill.mkdir(parents=True, exist_ok=True)
        OnDisk(options.spill).close()
    except OSError as wrong:
        raise UsageError(f"cannot spill to {options.spill}: {wrong.strerror}") from None
    except DiskFull as wrong:
        raise UsageError(str(wrong)) from None
    return SpillStore(memory, options.spill)


class Table(Protocol):
    """The table of a shard, from which runs are made: rows, in buckets of slots."""

    address: int

    @property
    def rows(self) -> int:
        """The states in it."""
        ...

    @property
    def buckets(self) -> int: ...

    @property
    def slots(self) -> int: ...

    def empty_table(self) -> None:
        """Removes its states: they are in a run."""


class Cold:
    """The runs of a shard. The thread that uses the shard uses them."""

    def __init__(self, shard: Table, hashes: Hashes, layout: Layout, store: Store) -> None:
        self.shard = shard
        self.layout = layout
        self.store = store
        self.active = False
        self.runs: list[SortedRun] = []
        self._hashes = hashes
        self._unsettled = 0

    def close(self) -> None:
        """Releases the memory or disk space of the runs."""
        runs, self.runs = self.runs, []
        for run in runs:
            run.close()

    @property
    def states(self) -> int:
        """States in the runs."""
        return sum(run.states for run in self.runs)

    @property
    def bytes_on_disk(self) -> int:
        """Bytes of the runs on disk."""
        return sum(run.size for run in self.runs) if isinstance(self.store, SpillStore) else 0

    def may_grow(self, size: int, more: int) -> bool:
        """Whether the table may grow to `size` bytes, by `more`."""
        held = sum(run.size for run in self.runs)
        return self.store.may_grow(size, more, self._hashes.shards, held)

    def evict(self, level: int) -> None:
        """Moves the states of the table, found at a level or before, to a run, and empties the
        table.

        Raises DiskFull, after which all states are where they were.
        """
        self._settle(level)
        low = self._lowest(level)
        self._merge([run for run in self.runs if run.low == low])
        self.active = True
        self.shard.empty_table()

    def end_level(self, level: int) -> int:
        """Decides which states of a level are new, and returns their number."""
        self._merge([run for run in self.runs if run.high < level])
        self._settle(level)
        self._unsettled = level + 1
        return sum(run.newest for run in self.runs if run.high == level)

    def blocks(self, low: int, high: int) -> list[tuple[int, int]]:
        """The addresses and lengths of the rows of runs that may have states of some levels."""
        return [(run.rows, run.states) for run in self.runs if run.low <= high and low <= run.high]

    def _lowest(self, level: int) -> int:
        """The first level, up to `level`, whose states in the table are not settled."""
        return min(self._unsettled, level)

    def _settle(self, level: int) -> None:
        """Makes a run of the table's states, from the first unsettled level on, that no run has."""
        levels = self._lowest(level), level
        writer = RunWriter(self.layout, levels, self._hashes, self.shard.rows, self.store.place)
        try:
            for count in self._candidates(writer):
                for run in self.runs:
                    writer.code[runs.drop_known](run.address, ctypes.addressof(writer.items), count)
                writer.append(count)
            made = writer.finish()
        except BaseException:
            writer.place.close()
            raise
        if made.states:
            self.runs.append(made)
        else:
            made.close()

    def _candidates(self, writer: RunWriter) -> Iterator[int]:
        """Makes items of the table's states at the writer's levels, in order, some at a time."""
        items, code = ctypes.addressof(writer.items), writer.code
        buckets, at = self.shard.buckets, 0
        size = max(2, ITEMS // 2 * buckets // max(1, self.shard.slots) // 2 * 2)
        while at < buckets:
            end = min(at + size, buckets)
            count = code[runs.gather_items](
                self.shard.address, at, end, *writer.levels, items, ITEMS
            )
            if count < 0:
                size = max(2, size // 4 * 2)
                continue
            if count:
                code[runs.sort_items](items, count)
                yield count
            at = end

    def _merge(self, runs: list[SortedRun]) -> None:
        """Merges the newest of some runs.

        The oldest of them has at most MERGE_UP_TO times as many states as those after it together.
        """
        newer = sum(run.states for run in runs)
        for at, oldest in enumerate(runs[:-1]):
            newer -= oldest.states
            if oldest.states <= MERGE_UP_TO * newer:
                made = merged(runs[at:], self._hashes, self.layout, self.store.place)
                place = self.runs.index(oldest)
                self.runs = [run for run in self.runs if run not in runs[at:]]
                self.runs.insert(place, made)
                return
