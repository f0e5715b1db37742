"""Chunks: the pieces of lists of states. Threads pass them to each other on stacks."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from specmodel.engines.native.loop import stacks
from specmodel.engines.native.loop.memory import HUGE_PAGE, Memory, Region
from specmodel.engines.native.loop.stacks import Header, StackWords
from specmodel.errors import MemoryLimit
from specmodel.machine.build import Code, build
from specmodel.machine.language import address
from specmodel.machine.words import LANES, WORD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOGETHER = 16
"""The greatest number of chunks that are made together. It matters for small chunks only."""


class Chunk:
    """A list of states in columns: word w of entry i is at `address + (w * capacity + i) * 8`.

    The capacity is a multiple of LANES, so that a block of lanes never reaches into another column.
    """

    __slots__ = ("_header", "address", "capacity", "region", "words")

    def __init__(self, words: int, capacity: int, region: Region, start: int = 0) -> None:
        """Takes `size_of(words, capacity)` bytes of the region, from the byte `start` on."""
        self.words = words
        self.capacity = capacity
        self.region = region
        self.address = region.address + start + Header.words * WORD
        self._header = Header(region.address + start)

    @property
    def count(self) -> int:
        """How many states it has."""
        return self._header.held

    @count.setter
    def count(self, value: int) -> None:
        self._header.held = value

    @property
    def following(self) -> int:
        """The address of the next chunk in the same list; 0 if it is the last."""
        return self._header.next

    def fill(self, states: Sequence[tuple[int, ...]]) -> None:
        """Replaces its states by these, at most as many as its capacity."""
        columns = self._columns()
        for word in range(self.words):
            low = word * self.capacity
            columns[low : low + len(states)] = [state[word] for state in states]
        self.count = len(states)

    def pack(self) -> bytes:
        """The states in it: the columns, one after the other, without gaps."""
        size, step = self.count * WORD, self.capacity * WORD
        return b"".join(
            ctypes.string_at(self.address + word * step, size) for word in range(self.words)
        )

    def unpack(self, packed: bytes) -> None:
        """Replaces its states by those of `packed`, at most as many as its capacity."""
        size, step = len(packed) // self.words, self.capacity * WORD
        for word in range(self.words):
            column = packed[word * size : (word + 1) * size]
            ctypes.memmove(self.address + word * step, column, size)
        self.count = size // WORD

    def states(self) -> Iterator[tuple[int, ...]]:
        """The states in it, as unsigned words."""
        columns, step = self._columns(), self.capacity
        return zip(
            *(columns[w * step : w * step + self.count] for w in range(self.words)), strict=True
        )

    def array(self) -> NDArray[np.uint64]:
        """The states in it, without a copy: an array with a row for each word."""
        import numpy as np  # most searches do not use this

        columns = np.frombuffer(memoryview(self._columns()), np.uint64)
        return columns.reshape(self.words, self.capacity)[:, : self.count]

    def _columns(self) -> ctypes.Array[ctypes.c_uint64]:
        size = self.words * self.capacity
        return (ctypes.c_uint64 * size).from_address(self.address)


def size_of(words: int, capacity: int) -> int:
    """The bytes of a chunk."""
    return (Header.words + words * capacity) * WORD


class ChunkPool:
    """Chunks of one shape, which are reused. Threads may share the pool."""

    def __init__(self, memory: Memory, words: int, capacity: int) -> None:
        if capacity % LANES:
            raise ValueError(f"a chunk's capacity is a multiple of {LANES}, not {capacity}")
        self.memory = memory
        self.words = words
        self.capacity = capacity
        self.chunks: dict[int, Chunk] = {}
        """All chunks, by their addresses."""
        self.free = Stack(self)

    def take(self) -> Chunk:
        """An empty chunk. Raises MemoryLimit."""
        chunk = self.free.pop() or self._new()
        chunk.count = 0
        return chunk

    def give(self, chunk: Chunk) -> None:
        """Takes a chunk back."""
        self.free.push(chunk)

    def add(self) -> None:
        """Adds a chunk for others to take. Raises MemoryLimit."""
        self.give(self._new())

    def close(self) -> None:
        """Releases the memory of all chunks. The pool must not be used any more."""
        for region in {id(chunk.region): chunk.region for chunk in self.chunks.values()}.values():
            region.close()

    def linked(self, address: int) -> Iterator[Chunk]:
        """The chunks of the list that begins with the chunk at an address; 0: an empty list."""
        while address:
            chunk = self.chunks[address]
            address = chunk.following
            yield chunk

    def _new(self) -> Chunk:
        """A new chunk.

        The pool makes as many as fill a huge page, which takes no longer than one.
        """
        size = size_of(self.words, self.capacity)
        together = HUGE_PAGE // size
        if not 1 < together <= TOGETHER:
            return self._at(self.memory.region(size), 0)
        try:
            region = self.memory.region(HUGE_PAGE)
        except MemoryLimit:
            return self._at(self.memory.region(size), 0)
        for number in range(1, together):
            self.give(self._at(region, number * size))
        return self._at(region, 0)

    def _at(self, region: Region, start: int) -> Chunk:
        chunk = Chunk(self.words, self.capacity, region, start)
        self.chunks[chunk.address] = chunk
        return chunk


class Stack:
    """A stack of a pool's chunks. Threads share it, also in machine code."""

    def __init__(self, pool: ChunkPool) -> None:
        self._known = pool.chunks
        code = _code()
        self._push, self._pop = code[stacks.push], code[stacks.pop]
        self.words = StackWords.new()
        self.address = address(self.words)

    def __len__(self) -> int:
        return self.words.size

    def push(self, chunk: Chunk) -> None:
        """Puts a chunk on top."""
        self._push(self.address, chunk.address)

    def pop(self) -> Chunk | None:
        """Takes the chunk on top; None if the stack is empty."""
        top = self._pop(self.address)
        return self._known[top] if top else None


@functools.cache
def _code() -> Code:
    return build((stacks.push, stacks.pop), {})
