"""Memory is counted, limited, given back early, and chunks are used again."""

from __future__ import annotations

import ctypes
import mmap
import sys
from pathlib import Path

import pytest

from specmodel.engines.native.loop.chunks import Chunk, ChunkPool, size_of
from specmodel.engines.native.loop.memory import HUGE_PAGE, Memory, Region
from specmodel.errors import MemoryLimit


def test_limit_is_kept() -> None:
    """What would exceed the limit is refused and not counted; what is returned is usable again."""
    memory = Memory(10_000)
    memory.region(6_000)
    with pytest.raises(MemoryLimit, match="raise the limit"):
        memory.region(6_000)
    assert memory.used == 6_000
    memory.returned(6_000)
    memory.region(9_000)
    assert memory.peak == 9_000


def test_what_the_system_refuses_is_a_limit_too() -> None:
    """More than there can be is a message, not a traceback, and is not counted."""
    memory = Memory()
    with pytest.raises(MemoryLimit, match="system has no more"):
        memory.region(1 << 60)
    assert memory.used == 0


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="the system has no such advice")
def test_forgotten_memory_is_given_back() -> None:
    """In steps below a huge page, all whole ones before a place are given back, none after it."""
    region = Region(4 * HUGE_PAGE)
    ctypes.memset(region.address, 1, region.size)
    step = HUGE_PAGE // 3 * 2
    for stop in range(step, 3 * HUGE_PAGE + step, step):
        region.forget(stop)
    reached = 3 * HUGE_PAGE
    assert ctypes.string_at(region.address, reached) == bytes(reached)
    assert ctypes.string_at(region.address + reached, HUGE_PAGE) == b"\1" * HUGE_PAGE


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list what is mapped")
def test_whole_huge_pages_are_asked_for() -> None:
    """Linux puts nothing else on huge pages: a table of three and a half has room for four."""
    region = Region(HUGE_PAGE * 7 // 2)
    (mapped,) = (
        (first, last)
        for line in Path("/proc/self/maps").read_text().splitlines()
        for first, last in [[int(at, 16) for at in line.split()[0].split("-")]]
        if first <= region.address < last
    )
    assert mapped[1] - region.address >= 4 * HUGE_PAGE
    region.close()


def test_chunks_hold_states() -> None:
    """States come out of a chunk as they went in."""
    chunk = Chunk(3, 16, Region(size_of(3, 16)))
    states = [(n, (1 << 64) - 1 - n, n * n) for n in range(11)]
    chunk.fill(states)
    assert list(chunk.states()) == states


def test_chunks_are_used_again() -> None:
    """A chunk given back is handed out empty, and costs no more memory."""
    memory = Memory()
    pool = ChunkPool(memory, 2, 64)
    chunk = pool.take()
    chunk.count = 5
    pool.give(chunk)
    assert pool.take() is chunk
    assert chunk.count == 0
    assert memory.used == size_of(2, 64)
    with pytest.raises(ValueError, match="multiple of 8"):
        ChunkPool(memory, 2, 63)
