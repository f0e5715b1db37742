"""Packed states: how the states of a layout are packed, and the machine code that does it."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Iterator

from specmodel.engines.native.core import core_constants
from specmodel.engines.native.machine.build import Code, build
from specmodel.engines.native.memory import WORD
from specmodel.engines.native.shard import Shard
from specmodel.engines.native.stores import packing
from specmodel.ir.layout import Layout

BLOCK = 1 << 16
"""Entries packed at a time: a multiple of 64, so that blocks end with a whole word."""

Block = ctypes.Array[ctypes.c_uint64]
Struct = ctypes.Array[ctypes.c_int64]


@functools.cache
def packing_code(words: int) -> Code:
    """The code, from the cache of objects if it is there."""
    return build((packing.pack_rows, packing.adopt_entries), core_constants(words))


class Packing:
    """How states of a layout are packed when their levels are from `low` to `high`."""

    def __init__(self, layout: Layout, low: int, high: int) -> None:
        if not 0 <= low <= high:
            raise ValueError(f"levels go up from 0, not from {low} to {high}")
        self.low, self.high = low, high
        self.words = layout.words
        self._tag_shift = layout.tag_shift
        self._places = [_place(layout, word) for word in range(layout.words)]
        self._level_bits = (high - low).bit_length()
        self.entry_bits = self._level_bits + sum(bits for _, bits in self._places)

    def size(self, states: int) -> int:
        """Bytes that so many states take, in whole words."""
        return -(-states * self.entry_bits // 64) * WORD

    def pack(self, shard: Shard) -> Iterator[tuple[int, memoryview]]:
        """Packs the states of a shard's table at these levels, block after block.

        Each is a number of states and their bytes, which hold until the next is asked for; all but
        the last are BLOCK states, so that the bytes can be joined. Nothing else may be done with
        the shard meanwhile.
        """
        code = packing_code(self.words)
        block: Block = (ctypes.c_uint64 * (self.size(BLOCK) // 8))()
        p = self.struct(ctypes.addressof(block), 0, BLOCK)
        address = ctypes.addressof(p)
        while count := code[packing.pack_rows](shard.address, address):
            yield count, memoryview(block).cast("B")[: self.size(count)]

    def adopt(self, shard: Shard, address: int, states: int, frontier: int) -> None:
        """Puts the shard's own among packed states at an address into its table.

        The states of level `frontier` become fresh as well. None may be in the table yet. Packed
        states come in the order of their hashes. A table that has no room for all of them takes
        groups from here and there, or they would all belong into the same few buckets. Raises
        MemoryLimit or DiskFull, after which the shard is of no more use.
        """
        adopt = packing_code(self.words)[packing.adopt_entries]
        p = self.struct(address, 0, states)
        p[packing.LEVEL] = frontier
        groups = states // packing.GROUP
        p[packing.GROUPS] = groups
        p[packing.GROUP_STEP] = 1 if shard.has_room(states) else _scattering(groups)
        place = ctypes.addressof(p)
        shard.work(lambda own: adopt(own, place))

    def struct(self, entries: int, at: int, end: int) -> Struct:
        """A packing's struct, for entries at an address."""
        p = (ctypes.c_int64 * (packing.PLACES + packing.PLACE * self.words))()
        p[packing.ENTRIES], p[packing.AT], p[packing.END] = entries, at, end
        p[packing.LOW], p[packing.HIGH] = self.low, self.high
        p[packing.TAG_SHIFT] = self._tag_shift
        p[packing.ENTRY_BITS] = self.entry_bits
        p[packing.LEVEL_BITS] = self._level_bits
        p[packing.LEVEL_MASK] = (1 << self._level_bits) - 1
        for word, (shift, bits) in enumerate(self._places):
            place = packing.PLACES + word * packing.PLACE
            p[place + packing.PLACE_SHIFT] = shift
            p[place + packing.PLACE_BITS] = bits
            p[place + packing.PLACE_MASK] = (1 << bits) - 1 if bits < 64 else -1
        return p


def _scattering(groups: int) -> int:
    """A step that visits every group once, and none soon after one near it."""
    step = max(1, int(groups * 0.618))
    while math.gcd(step, groups) != 1:
        step += 1
    return step


def _place(layout: Layout, word: int) -> tuple[int, int]:
    """The lowest bit of a word that a leaf uses, and how many bits there are from it up."""
    slots = [slot for slot in layout.slots if slot.word == word]
    if not slots:
        return 0, 0
    low = min(slot.shift for slot in slots)
    return low, max(slot.shift + slot.bits for slot in slots) - low
