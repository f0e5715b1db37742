"""Rows that shards give are their states, with their levels, in any number of shards."""

from __future__ import annotations

import ctypes
import random
from types import SimpleNamespace
from typing import Any

import pytest

from specmodel.engines.native.checkpointing import adopt
from specmodel.engines.native.shard import Shard
from specmodel.machine.words import WORD
from tests.engines.native.toys import TAG_SHIFT, Toy

LEVELS = 11


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


@pytest.mark.parametrize("widths", [[17], [64, 24], [1, 64, 33], [64] * 4 + [7]])
@pytest.mark.parametrize(("before", "after"), [(1, 1), (2, 3)])
def test_adopted(widths: list[int], before: int, after: int) -> None:
    """All levels, and a part of them; rows of one word and of several; blocks that are not full."""
    toy, draw = Toy(len(widths), 1 << 10), random.Random(len(widths))
    layout: Any = SimpleNamespace(words=len(widths), tag_shift=TAG_SHIFT)
    seen = set[tuple[int, ...]]()
    levels: list[set[tuple[int, ...]]] = []
    for size in range(1, LEVELS * 200, 200):
        found = {tuple(draw.getrandbits(bits) for bits in widths) for _ in range(size)}
        levels.append(found - seen)
        seen |= found
    shards = toy.open(before)
    filled(shards, levels)
    for low, high in [(0, LEVELS - 1), (3, 7), (4, 4)]:
        adopting = toy.open(after)
        wanted = levels[low : high + 1]
        for shard in adopting:
            shard.mark(high)
            shard.reserve(sum(map(len, wanted)))
        for shard in shards:
            for block in shard.packed(low, high):
                copy = ctypes.create_string_buffer(bytes(block), len(block) or 1)
                for other in adopting:
                    count = len(block) // (WORD * len(widths))
                    adopt(other, layout, ctypes.addressof(copy), count)
        assert sum(shard.distinct for shard in adopting) == sum(map(len, wanted))
        for number in range(LEVELS):
            states = [state for shard in adopting for state in shard.states(number)]
            assert sorted(states) == sorted(levels[number] if low <= number <= high else [])
        fresh = [s for shard in adopting for c in shard.take_fresh() for s in c.states()]
        assert sorted(fresh) == sorted(levels[high])
