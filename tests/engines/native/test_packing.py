"""Packed states are the states that were packed, with their levels, in any number of shards."""

from __future__ import annotations

import ctypes
import random
from types import SimpleNamespace
from typing import Any

import pytest

from specmodel.engines.native.shard import Shard
from specmodel.engines.native.stores.packed import Packing
from specmodel.ir.layout import Slot
from tests.engines.native.toys import TAG_SHIFT, Toy

LEVELS = 11


def layout(widths: list[int], shifts: list[int]) -> Any:
    """What packing asks of a layout, with bits used from a shift on in each word."""
    slots = [
        Slot(w, shift, bits) for w, (bits, shift) in enumerate(zip(widths, shifts, strict=True))
    ]
    return SimpleNamespace(words=len(widths), tag_shift=TAG_SHIFT, slots=slots)


def filled(shards: list[Shard], levels: list[set[tuple[int, ...]]]) -> None:
    for number, level in enumerate(levels):
        for shard in shards:
            shard.mark(number)
        assert shards[0].seed(sorted(level))
        shards[0].flush()
        for shard in shards:
            shard.drain()
            for chunk in shard.take_fresh():
                shard.pool.give(chunk)


@pytest.mark.parametrize(
    ("widths", "shifts"),
    [
        ([17], [3]),
        ([64, 24], [0, 8]),
        ([60, 40], [4, 0]),
        ([1, 64, 33], [63, 0, 1]),
        ([64] * 4 + [7], [0] * 5),
    ],
)
@pytest.mark.parametrize(("before", "after"), [(1, 1), (2, 3)])
def test_packed_and_adopted(widths: list[int], shifts: list[int], before: int, after: int) -> None:
    """All levels, and a part of them; fields that cross words; blocks that are not full."""
    toy, draw = Toy(len(widths), 1 << 10), random.Random(len(widths))
    seen = set[tuple[int, ...]]()
    levels: list[set[tuple[int, ...]]] = []
    for size in range(1, LEVELS * 200, 200):
        found = {
            tuple(draw.getrandbits(b) << s for b, s in zip(widths, shifts, strict=True))
            for _ in range(size)
        }
        levels.append(found - seen)
        seen |= found
    shards = toy.open(before)
    filled(shards, levels)
    for low, high in [(0, LEVELS - 1), (3, 7), (4, 4)]:
        packing = Packing(layout(widths, shifts), low, high)
        adopting = toy.open(after)
        wanted = levels[low : high + 1]
        for shard in shards:
            for count, block in packing.pack(shard):
                assert len(block) == packing.size(count)
                copy = ctypes.create_string_buffer(bytes(block), len(block))
                for other in adopting:
                    other.reserve(sum(map(len, wanted)))
                    packing.adopt(other, ctypes.addressof(copy), count, high)
        assert sum(shard.distinct for shard in adopting) == sum(map(len, wanted))
        for number in range(LEVELS):
            states = [state for shard in adopting for state in shard.states(number)]
            assert sorted(states) == sorted(levels[number] if low <= number <= high else [])
        fresh = [s for shard in adopting for c in shard.take_fresh() for s in c.states()]
        assert sorted(fresh) == sorted(levels[high])
