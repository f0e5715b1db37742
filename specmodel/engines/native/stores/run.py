"""Sorted runs of states: their storage, how one is written, and lookups."""

from __future__ import annotations

import ctypes
import functools
import mmap
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from specmodel.dataclass import dataclass
from specmodel.engines.native.loop.core import core_constants
from specmodel.engines.native.loop.memory import DiskFull, Memory, Region
from specmodel.engines.native.loop.tags import tag_of
from specmodel.engines.native.stores import runs
from specmodel.engines.native.stores.runs import RunWords
from specmodel.errors import MemoryLimit
from specmodel.ir.layout import Layout
from specmodel.machine.build import Code, build
from specmodel.machine.language import address
from specmodel.machine.words import WORD

ITEMS = 1 << 15
"""Items of states on their way into a run, at a time."""

PER_RANGE = 8
"""The target number of rows in a range of hashes: a lookup compares this number of rows."""


class RunStorage(Protocol):
    """The storage of the bytes of one run."""

    def write(self, block: memoryview) -> None:
        """Appends a block. Raises MemoryLimit or DiskFull."""
        ...

    def address(self) -> int:
        """The address of the first byte, once all bytes are written. Raises MemoryLimit."""
        ...

    def forget(self, size: int) -> None:
        """Called when the first `size` bytes will not be read any more."""
        ...

    def close(self) -> None:
        """Releases the memory or disk space."""
        ...


class InMemory:
    """A run in memory; only written bytes count. `most`: the greatest number of bytes."""

    def __init__(self, memory: Memory, most: int) -> None:
        self._memory = memory
        self._region: Region = memory.region(most, 0)
        self._size = self._forgotten = 0

    def write(self, block: memoryview) -> None:
        size = len(block)
        # A merge releases the memory of the merged runs as it goes, so it must not stop half way.
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
    """A run in a file without a name: nothing is left of the file when the process ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._size = 0
        self._map: mmap.mmap | None = None
        try:
            # Unbuffered: closing a buffered file would write the rest of the buffer, and fail
            # again.
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
    """The machine code, from the cache of compiled code if it is there."""
    entries = (
        runs.gather_items,
        runs.sort_items,
        runs.drop_known,
        runs.append_items,
        runs.finish_directory,
        runs.merge_runs,
        runs.adopt_rows,
    )
    return build(entries, core_constants(words))


@dataclass(frozen=True)
class Hashes:
    """The hashes of the states that belong to one of several shards."""

    number: int
    shards: int

    def ranges(self, states: int) -> tuple[int, int, int]:
        """The division of the hashes for some states: the shift, the first range, the number."""
        wanted = max(1, states // PER_RANGE) * self.shards
        shift = min(63, 64 - wanted.bit_length() + 1)
        low = -(-(self.number << 64) // self.shards)
        high = -(-(self.number + 1 << 64) // self.shards) - 1
        return shift, low >> shift, (high >> shift) - (low >> shift) + 1


class SortedRun:
    """A sorted run of states with levels from `low` to `high`; `newest` is the number at `high`."""

    def __init__(self, low: int, high: int, row: int, struct: RunWords, place: RunStorage) -> None:
        self.low, self.high = low, high
        self.place = place
        self._struct = struct
        self.address = address(struct)
        self.rows = struct.first_row
        self.states = struct.end
        self.newest = struct.newest
        self.row = row
        self.size = self.states * row

    def begin(self) -> None:
        """Prepares the merge from its first row on."""
        self._struct.at = 0

    def forget(self) -> None:
        """Releases the memory of rows that have been merged."""
        self.place.forget(self._struct.at * self.row)

    def close(self) -> None:
        """Releases the memory or disk space."""
        self.place.close()


class RunWriter:
    """Writes a run of at most `states` states, which come in order, to a storage."""

    def __init__(
        self,
        layout: Layout,
        levels: tuple[int, int],
        hashes: Hashes,
        states: int,
        place: Callable[[int], RunStorage],
    ) -> None:
        """`levels` are the lowest and the highest level of the states.

        `place` makes a storage for at most this number of bytes. Raises the errors of `place`.
        """
        self.code = run_code(layout.words)
        self.levels = levels
        self.items: Any = (ctypes.c_int64 * ((layout.words + 1) * (ITEMS + 1)))()
        self._row = layout.words * WORD
        self._block = ctypes.create_string_buffer(ITEMS * self._row)
        self.struct = run_struct(layout, levels[1])
        shift, first, ranges = hashes.ranges(states)
        self._directory = (ctypes.c_uint64 * (ranges // 2 + 1))()
        self.struct.shift, self.struct.first = shift, first
        self.struct.ranges = ranges
        self.struct.directory = ctypes.addressof(self._directory)
        self.place = place(states * self._row + ctypes.sizeof(self._directory))

    def append(self, count: int) -> None:
        """Appends the first `count` of its items."""
        written = self.code[runs.append_items](
            address(self.struct),
            ctypes.addressof(self._block),
            ctypes.addressof(self.items),
            count,
        )
        self.place.write(memoryview(self._block).cast("B")[: written * self._row])

    def finish(self) -> SortedRun:
        """The run."""
        self.code[runs.finish_directory](address(self.struct))
        self.place.write(memoryview(self._directory).cast("B"))
        made = self.struct
        made.first_row = self.place.address()
        made.directory = made.first_row + made.end * self._row
        return SortedRun(*self.levels, self._row, made, self.place)


def run_struct(layout: Layout, newest: int, rows: int = 0, states: int = 0) -> RunWords:
    """The struct of a run with this number of newest states."""
    made = RunWords.new()
    made.first_row, made.end = rows, states
    made.mask = (1 << layout.tag_shift) - 1
    made.newest_tag = tag_of(newest, layout.tag_shift)
    return made


def merged(
    older: Sequence[SortedRun], hashes: Hashes, layout: Layout, place: Callable[[int], RunStorage]
) -> SortedRun:
    """One run with the states of several, none of which is in two.

    The old runs must not be used any more.

    Raises DiskFull, after which runs on disk can still be used.
    """
    levels = min(run.low for run in older), max(run.high for run in older)
    writer = RunWriter(layout, levels, hashes, sum(run.states for run in older), place)
    addresses = (ctypes.c_int64 * len(older))(*(run.address for run in older))
    items = ctypes.addressof(writer.items)
    for run in older:
        run.begin()
    try:
        while count := writer.code[runs.merge_runs](
            ctypes.addressof(addresses), len(older), items, ITEMS
        ):
            writer.append(count)
            for run in older:
                run.forget()
        made = writer.finish()
    except BaseException:
        writer.place.close()
        raise
    for run in older:
        run.close()
    return made
