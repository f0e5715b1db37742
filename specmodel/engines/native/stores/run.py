"""Sorted runs of packed states: where their bytes are, how one is written, what is asked of it."""

from __future__ import annotations

import ctypes
import functools
import mmap
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from specmodel.engines.native.core import core_constants
from specmodel.engines.native.machine.build import Code, build
from specmodel.engines.native.memory import WORD, DiskFull, Memory, MemoryLimit, Region
from specmodel.engines.native.stores import packing, runs
from specmodel.engines.native.stores.packed import Packing

ITEMS = 1 << 15
"""Items of states on their way into a run, at a time."""

PER_RANGE = 4
"""Entries that a range of hashes is to have: as many are compared for each lookup."""


class Place(Protocol):
    """Where the bytes of one run are."""

    def write(self, block: memoryview) -> None:
        """Puts a block behind those before. Raises MemoryLimit or DiskFull."""
        ...

    def address(self) -> int:
        """Where the bytes start, once all are written. Raises MemoryLimit."""
        ...

    def forget(self, size: int) -> None:
        """So many bytes from the start will not be read any more."""
        ...

    def close(self) -> None:
        """Gives back what it takes."""
        ...


class InMemory:
    """In memory, of which no more is counted than what is written. `most`: bytes at most."""

    def __init__(self, memory: Memory, most: int) -> None:
        self._memory = memory
        self._region: Region = memory.region(most, 0)
        self._size = self._forgotten = 0

    def write(self, block: memoryview) -> None:
        size = len(block)
        # A run made of others gives their memory back as it grows, so it must not stop half way.
        self._memory.taken(size, beyond_limit=True)
        source = (ctypes.c_char * size).from_buffer(block)
        ctypes.memmove(self._region.address + self._size, source, size)
        self._size += size

    def address(self) -> int:
        return self._region.address

    def forget(self, size: int) -> None:
        self._region.forget(size)
        self._memory.returned(size - self._forgotten)
        self._forgotten = size

    def close(self) -> None:
        self._memory.returned(self._size - self._forgotten)
        self._region.close()


class OnDisk:
    """In a file without a name, so that nothing is left of it when the process ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._size = 0
        self._map: mmap.mmap | None = None
        try:
            # Without a buffer: closing the file would write what is left there, and fail once more.
            self._file: Any = tempfile.TemporaryFile(  # noqa: SIM115
                dir=folder, prefix="specmodel-", buffering=0
            )
        except OSError as wrong:
            raise self._full(wrong) from None

    def write(self, block: memoryview) -> None:
        size = len(block)
        try:
            while block:
                block = block[self._file.write(block) :]
        except OSError as wrong:
            raise self._full(wrong) from None
        self._size += size

    def address(self) -> int:
        if self._map is None:
            try:
                self._map = mmap.mmap(self._file.fileno(), self._size, access=mmap.ACCESS_COPY)
            except OSError:
                raise MemoryLimit(self._size, None) from None
            self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        return self._address

    def forget(self, size: int) -> None:
        pass

    def close(self) -> None:
        if self._map is not None:
            self._map.close()
        self._file.close()

    def _full(self, wrong: OSError) -> DiskFull:
        return DiskFull(f"cannot write states to {self._folder}: {wrong.strerror}")


@functools.cache
def run_code(words: int) -> Code:
    """The code, from the cache of objects if it is there."""
    entries = (
        runs.gather_rows,
        runs.sort_items,
        runs.drop_known,
        runs.append_items,
        runs.finish_directory,
        runs.merge_runs,
        runs.take_level,
        runs.repack,
        runs.find_sources_in,
    )
    return build(entries, core_constants(words))


@dataclass(frozen=True)
class Hashes:
    """The hashes whose states belong to one of several shards."""

    number: int
    shards: int

    def ranges(self, states: int) -> tuple[int, int, int]:
        """How to cut them up for so many states: the shift, the first range, how many."""
        wanted = max(1, states // PER_RANGE) * self.shards
        shift = min(63, 64 - wanted.bit_length() + 1)
        low = -(-(self.number << 64) // self.shards)
        high = -(-(self.number + 1 << 64) // self.shards) - 1
        return shift, low >> shift, (high >> shift) - (low >> shift) + 1


class Run:
    """A sorted run of states with levels from `low` to `high`, `newest` of them at `high`."""

    def __init__(self, packing_: Packing, struct: Any, place: Place) -> None:
        self.packing = packing_
        self.place = place
        self._struct = struct
        self.address = ctypes.addressof(struct)
        self.states: int = struct[packing.END]
        self.newest: int = struct[packing.NEWEST]

    @property
    def size(self) -> int:
        """Bytes of its entries."""
        return self.packing.size(self.states)

    def has(self, level: int) -> bool:
        """Whether states of a level can be in it."""
        return self.packing.low <= level <= self.packing.high

    def seek(self, entry: int, level: int = -1) -> None:
        """Goes on reading at an entry, and looks for a level."""
        self._struct[packing.AT], self._struct[packing.LEVEL] = entry, level

    @property
    def read(self) -> int:
        """How many entries have been read."""
        return self._struct[packing.AT]

    def close(self) -> None:
        """Gives back what it takes."""
        self.place.close()


class RunWriter:
    """Writes a run of at most so many states, which come in order, into a place."""

    def __init__(
        self, packing_: Packing, hashes: Hashes, states: int, place: Callable[[int], Place]
    ) -> None:
        """`place` makes a place for so many bytes at most. Raises what it raises."""
        self.code = run_code(packing_.words)
        self.packing = packing_
        shift, first, ranges = hashes.ranges(states)
        self._block = (ctypes.c_uint64 * (packing_.size(ITEMS) // WORD + 2))()
        self._view = memoryview(self._block).cast("B")
        self._bits = 0
        self._directory = (ctypes.c_uint64 * (ranges // 2 + 1))()
        self.struct = packing_.struct(0, 0, 0)
        self.struct[packing.SHIFT] = shift
        self.struct[packing.FIRST] = first
        self.struct[packing.RANGES] = ranges
        self.struct[packing.DIRECTORY] = ctypes.addressof(self._directory)
        self.place = place(packing_.size(states) + ctypes.sizeof(self._directory) + 2 * WORD)

    def append(self, items: int, count: int) -> None:
        """Puts items at an address, no more than ITEMS, behind those before."""
        block = ctypes.addressof(self._block)
        behind = self.code[runs.append_items](
            ctypes.addressof(self.struct), block, self._bits, items, count
        )
        whole, self._bits = divmod(behind, 64)
        if whole:
            self.place.write(self._view[: whole * WORD])
            self._block[0] = self._block[whole]

    def finish(self) -> Run:
        """The run."""
        if self._bits:
            self.place.write(self._view[:WORD])
        self.code[runs.finish_directory](ctypes.addressof(self.struct))
        self.place.write(memoryview(self._directory).cast("B"))
        made = self.struct
        made[packing.ENTRIES] = self.place.address()
        made[packing.DIRECTORY] = self.place.address() + self.packing.size(made[packing.END])
        return Run(self.packing, made, self.place)


class Items:
    """Room for items of states on their way into a run."""

    def __init__(self, words: int, heads: int = 0) -> None:
        self._array = (ctypes.c_int64 * ((words + 2) * (ITEMS + 1 + heads)))()
        self.address = ctypes.addressof(self._array)
        self.heads = self.address + (words + 2) * (ITEMS + 1) * WORD
        for head in range(heads):
            self._array[(words + 2) * (ITEMS + 1 + head) + words] = runs.UNREAD


def merged(older: Sequence[Run], hashes: Hashes, layout: Any, place: Callable[[int], Place]) -> Run:
    """One run with the states of several, none of which is in two; those are of no more use.

    Raises DiskFull, after which they still are, if they are on disk.
    """
    low, high = min(r.packing.low for r in older), max(r.packing.high for r in older)
    packing_ = Packing(layout, low, high)
    writer = RunWriter(packing_, hashes, sum(r.states for r in older), place)
    items = Items(packing_.words, len(older))
    addresses = (ctypes.c_int64 * len(older))(*(r.address for r in older))
    for run in older:
        run.seek(0)
    try:
        while count := writer.code[runs.merge_runs](
            ctypes.addressof(addresses), len(older), items.heads, items.address, ITEMS
        ):
            writer.append(items.address, count)
            for run in older:
                run.place.forget(run.packing.size(run.read) - WORD if run.read else 0)
        made = writer.finish()
    except BaseException:
        writer.place.close()
        raise
    for run in older:
        run.close()
    return made
