"""A sample of the states of each band of levels, drawn by their hashes as they are found.

A band has SLOTS slots. The hash of a state gives its slot, and each slot keeps the state with the
greatest key. So the sample is a function of the set of states of each level: it is the same for any
number of workers. `sample` is machine Python; it takes 2 ns for each state.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator

from specmodel.engines.native.loop.hashing import SEED, mixed
from specmodel.machine.language import Structure, address, i64, lshr, machine, ptr
from specmodel.machine.words import WORD

W = 1
"""Words of a state; the translation replaces this value."""


class SamplerWords(Structure):
    """The part of a `Sampler` that machine code uses."""

    slots: i64
    slot_shift: i64
    slot_bits: i64


class SampleSlot(Structure):
    """The head of a slot; the words of its state follow."""

    key: i64
    """The key of its state; 0 if the slot is empty."""


SINGLE = 16
"""Levels of fewer than this number are bands of their own; each doubling after has 8 bands."""

BANDS = SINGLE + 8 * 32

LEAST_BITS = 5
MOST_BITS = 13

Rows = dict[tuple[int, int], tuple[int, tuple[int, ...]]]
"""The key and the words of each drawn state, by its band and slot."""

KEYS = (1 << 50) - 1


@machine
def sample(s: SamplerWords, base: ptr, stride: i64, start: i64, n: i64, level: i64) -> i64:
    """Offers n states of a level, in columns, to the slots of its band. Returns 0."""
    place = level
    first = 0
    while place >= SINGLE:
        place = lshr(place, 1)
        first += 8
    slots = ptr(s.slots) + ((first + place) << s.slot_bits) * (SampleSlot.words + W)
    shift = s.slot_shift
    for i in range(start, start + n):
        h = SEED
        for w in range(W):
            h = mixed(h, base[w * stride + i])
        row = slots + lshr(h, shift) * (SampleSlot.words + W)
        slot = SampleSlot(row)
        key = h & KEYS | 1
        if key > slot.key:
            slot.key = key
            state = row + SampleSlot.words
            for w in range(W):
                state[w] = base[w * stride + i]
    return 0


class Sampler:
    """The slots of one worker, at `address` for machine code."""

    def __init__(self, words: int, states: int) -> None:
        """For a sample of `states` states; the slots have room for more."""
        bits = min(max(LEAST_BITS, (states // 4).bit_length()), MOST_BITS)
        self._words = words
        self._size = (BANDS << bits) * (words + SampleSlot.words)
        # Mapped memory: only bands with states take memory.
        self._held = mmap.mmap(-1, self._size * WORD)
        self.slots = (ctypes.c_uint64 * self._size).from_buffer(self._held)
        self._fields = f = SamplerWords.new()
        f.slots, f.slot_shift, f.slot_bits = ctypes.addressof(self.slots), 64 - bits, bits
        self._bits = bits
        self.address = address(f)

    def rows(self, levels: range) -> Rows:
        """The states in the slots of the bands of some levels."""
        size = self._words + SampleSlot.words
        found: Rows = {}
        for band in range(band_of(levels.start), band_of(levels[-1]) + 1 if levels else 0):
            first = (band << self._bits) * size
            held = self.slots[first : first + (size << self._bits)]
            for slot, at in enumerate(range(0, len(held), size)):
                if held[at]:
                    found[band, slot] = held[at], tuple(held[at + SampleSlot.words : at + size])
        return found


def band_of(level: int) -> int:
    """The band of a level, as machine code has it."""
    first = 0
    while level >= SINGLE:
        level, first = level >> 1, first + 8
    return first + level


def merge(known: Rows, more: Rows) -> None:
    """Merges the sample of another sampler."""
    for place, row in more.items():
        if place not in known or row > known[place]:
            known[place] = row


def in_turn(rows: Rows) -> Iterator[tuple[int, ...]]:
    """The drawn states, one from each band in turn, greatest keys first."""
    bands: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for (band, _), row in sorted(rows.items()):
        bands.setdefault(band, []).append(row)
    for some in bands.values():
        some.sort(reverse=True)
    for turn in range(max(map(len, bands.values()), default=0)):
        yield from (some[turn][1] for some in bands.values() if turn < len(some))
