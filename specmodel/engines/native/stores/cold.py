"""The states of a shard that are not in its table: sorted runs, in memory or on disk.

A search starts with all states in the table. When that may grow no further, its states become a
run, the table is emptied, and from then on it holds candidates: states that may be in a run. At the
end of a level, or when the table is full again, the candidates that are in no run become a new run;
those are the new states. Runs are merged so that there are few: lookups grow with their number.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from specmodel.engines.native import fields
from specmodel.engines.native.chunks import Chunk
from specmodel.engines.native.memory import WORD, DiskFull, Memory
from specmodel.engines.native.stores import packing, runs
from specmodel.engines.native.stores.packed import BLOCK, Packing
from specmodel.engines.native.stores.run import (
    ITEMS,
    Hashes,
    InMemory,
    Items,
    OnDisk,
    Place,
    Run,
    RunWriter,
    merged,
    run_code,
)
from specmodel.errors import UsageError
from specmodel.ir.layout import Layout
from specmodel.results import Options

if TYPE_CHECKING:
    from specmodel.engines.native.shard import Shard

LEAST_TABLE = 1 << 20
"""Bytes that the tables of all shards may always take together."""

TABLE_SHARE = 0.2
"""What the table of candidates may take of the bytes of the runs, where those are in memory."""

MERGE_UP_TO = 2.0
"""How many times the states of newer runs an older one may have to be merged with them: the more,
the fewer runs there are to look into, and the more often states are moved."""

SPARE = 0.25
"""What tables leave of the limit of memory for all else, where runs are on disk."""


class CompressedStore:
    """Runs in memory. Tables stay small."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def place(self, most: int) -> Place:
        return InMemory(self.memory, most)

    def may_grow(self, size: int, more: int, shards: int, held: int) -> bool:
        """Whether a table may grow to a size, by `more`, where a shard's runs take `held` bytes."""
        return size <= max(LEAST_TABLE // shards, TABLE_SHARE * held)


class SpillStore:
    """Runs on disk, in files of a folder. Tables take what memory there is."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self.memory = memory
        self.folder = folder

    def place(self, most: int) -> Place:
        return OnDisk(self.folder)

    def may_grow(self, size: int, more: int, shards: int, held: int) -> bool:
        """Whether a table may grow to a size, by `more`, where a shard's runs take `held` bytes."""
        limit = self.memory.limit
        return limit is None or self.memory.used + more <= limit * (1 - SPARE)


Store = CompressedStore | SpillStore


def open_store(options: Options, memory: Memory) -> Store | None:
    """What the options ask for. Raises UsageError."""
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


class Cold:
    """The runs of a shard. Used by the thread that has the shard."""

    def __init__(self, shard: Shard, hashes: Hashes, layout: Layout, store: Store) -> None:
        self.shard = shard
        self.layout = layout
        self.store = store
        self.active = False
        self.runs: list[Run] = []
        self._hashes = hashes
        self._code = run_code(layout.words)
        self._row = (ctypes.c_int64 * layout.words)()
        self._unsettled = 0

    def close(self) -> None:
        """Gives back what the runs take."""
        runs, self.runs = self.runs, []
        for run in runs:
            run.close()

    @property
    def states(self) -> int:
        """States in the runs."""
        return sum(run.states for run in self.runs)

    @property
    def bytes_on_disk(self) -> int:
        """Bytes that the runs take on disk."""
        return sum(run.size for run in self.runs) if isinstance(self.store, SpillStore) else 0

    def may_grow(self, size: int, more: int) -> bool:
        """Whether the table may grow to a size, by `more`. Bytes."""
        held = sum(run.size for run in self.runs)
        return self.store.may_grow(size, more, self._hashes.shards, held)

    def evict(self, level: int) -> None:
        """Moves the states of the table, found at a level or before, to a run, and empties it.

        Raises DiskFull, after which all are where they were.
        """
        self._settle(level)
        low = self._lowest(level)
        self._merge([run for run in self.runs if run.packing.low == low])
        self.active = True
        self.shard.empty_table()

    def end_level(self, level: int) -> int:
        """Settles which states of a level are new, and gives how many there are."""
        self._merge([run for run in self.runs if run.packing.high < level])
        self._settle(level)
        self._unsettled = level + 1
        return sum(run.newest for run in self.runs if run.packing.high == level)

    def read(self, level: int, columns: int, stride: int, limit: int) -> Iterator[int]:
        """Copies the states of a level to columns at an address, up to `limit` at a time; how many.

        What has been copied holds until the next are asked for.
        """
        for run in self.runs:
            if run.has(level):
                run.seek(0, level)
                while run.read < run.states:
                    yield self._take_level(run, columns, stride, limit)

    def chunks(self, level: int) -> Iterator[Chunk]:
        """The states of a level, in chunks that the caller gives back to the shard's pool."""
        for run in self.runs:
            if run.has(level):
                run.seek(0, level)
                while run.read < run.states:
                    chunk = self.shard.pool.take()
                    chunk.count = self._take_level(
                        run, chunk.address, chunk.capacity, chunk.capacity
                    )
                    yield chunk

    def pack(self, wanted: Packing) -> Iterator[tuple[int, memoryview]]:
        """The states at the levels of a packing, packed so: see `Packing.pack`."""
        block = (ctypes.c_uint64 * (wanted.size(BLOCK) // WORD))()
        view = memoryview(block).cast("B")
        p = wanted.struct(ctypes.addressof(block), 0, 0)
        for run in self.runs:
            if run.packing.high < wanted.low or wanted.high < run.packing.low:
                continue
            run.seek(0)
            while run.read < run.states:
                self._code[runs.repack](run.address, ctypes.addressof(p), BLOCK, self._row_address)
                if p[packing.END] == BLOCK:
                    yield BLOCK, view
                    p[packing.END] = 0
        if count := p[packing.END]:
            yield count, view[: wanted.size(count)]

    def find_sources(self, level: int) -> int:
        """Offers the states of a level as sources of the shard's target; see the core's step."""
        for run in self.runs:
            if run.has(level):
                run.seek(0, level)
                status = self._code[runs.find_sources_in](
                    self.shard.address, run.address, self._row_address
                )
                if status != fields.DONE:
                    return status
        return fields.DONE

    def _take_level(self, run: Run, columns: int, stride: int, limit: int) -> int:
        return self._code[runs.take_level](run.address, columns, stride, limit, self._row_address)

    @property
    def _row_address(self) -> int:
        return ctypes.addressof(self._row)

    def _lowest(self, level: int) -> int:
        """The first level of states in the table that are not settled, of those up to a level."""
        return min(self._unsettled, level)

    def _settle(self, level: int) -> None:
        """Makes a run of the table's states, from the first level not settled, that no run has."""
        packing_ = Packing(self.layout, self._lowest(level), level)
        writer = RunWriter(packing_, self._hashes, self.shard.rows, self.store.place)
        try:
            for items, count in self._candidates(packing_):
                known = 0
                for run in self.runs:
                    known += self._code[runs.drop_known](run.address, items, count)
                writer.append(items, count)
            made = writer.finish()
        except BaseException:
            writer.place.close()
            raise
        if made.states:
            self.runs.append(made)
        else:
            made.close()

    def _candidates(self, packing_: Packing) -> Iterator[tuple[int, int]]:
        """The table's states at the levels of a packing as items, in order, a part at a time."""
        items = Items(packing_.words)
        p = packing_.struct(0, 0, 0)
        buckets, at = self.shard.buckets, 0
        size = max(2, ITEMS // 2 * buckets // max(1, self.shard.slots) // 2 * 2)
        while at < buckets:
            p[packing.AT], p[packing.END] = at, min(at + size, buckets)
            count = self._code[runs.gather_rows](
                self.shard.address, ctypes.addressof(p), items.address, ITEMS
            )
            if count < 0:
                size = max(2, size // 4 * 2)
                continue
            if count:
                self._code[runs.sort_items](items.address, count)
                yield items.address, count
            at = p[packing.END]

    def _merge(self, runs: list[Run]) -> None:
        """Merges the newest of some runs, from the oldest on that has no more states than those
        after it together have, times MERGE_UP_TO."""
        newer = sum(run.states for run in runs)
        for at, oldest in enumerate(runs[:-1]):
            newer -= oldest.states
            if oldest.states <= MERGE_UP_TO * newer:
                made = merged(runs[at:], self._hashes, self.layout, self.store.place)
                place = self.runs.index(oldest)
                self.runs = [run for run in self.runs if run not in runs[at:]]
                self.runs.insert(place, made)
                return
