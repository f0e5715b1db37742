"""Counts for a profile: the number of values of each part of the states, and their distribution."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence

from specmodel.dataclass import dataclass
from specmodel.engines.native.loop.profile_steps import (
    EXACT,
    CensusTally,
    CensusWords,
    CountedLeaf,
)
from specmodel.ir.layout import Layout
from specmodel.machine.language import address
from specmodel.machine.words import WORD

MOST_CODES = 1 << 16
"""Leaves with more codes than this are not counted code by code."""

_i64 = ctypes.c_int64


@dataclass(frozen=True)
class Estimate:
    """The number of distinct values; `exact`, or within about 3 % (two standard errors)."""

    value: float
    exact: bool


class ProfileCounts:
    """The counters into which machine code counts states, each once, at `address`; one for each
    thread.

    `projections` are groups of leaves, by number, whose joint values are counted.
    """

    def __init__(self, layout: Layout, projections: Sequence[Sequence[int]]) -> None:
        self.layout = layout
        self.counted = [i for i, leaf in enumerate(layout.leaves) if leaf.size <= MOST_CODES]
        words = layout.words
        self._masks = (_i64 * max(1, words * len(projections)))()
        for number, leaves in enumerate(projections):
            for leaf in leaves:
                slot = layout.slots[leaf]
                self._masks[number * words + slot.word] |= slot.mask << slot.shift
        self._counters = (_i64 * (max(1, len(projections)) * CensusTally.words))()
        self._leaves = (_i64 * max(1, CountedLeaf.words * len(self.counted)))()
        self._starts: dict[int, int] = {}
        size = 0
        for place, leaf in enumerate(self.counted):
            slot = layout.slots[leaf]
            mask = slot.mask if slot.bits < 64 else -1
            counted = CountedLeaf(ctypes.addressof(self._leaves) + place * CountedLeaf.words * WORD)
            counted.word, counted.shift = slot.word, slot.shift
            counted.mask, counted.at = mask, size
            self._starts[leaf] = size
            size += 1 << slot.bits
        self._codes = (_i64 * max(1, size))()
        self._fields = f = CensusWords.new()
        f.projections, f.leaf_count = len(projections), len(self.counted)
        f.masks, f.counters = map(ctypes.addressof, (self._masks, self._counters))
        f.leaves, f.codes = map(ctypes.addressof, (self._leaves, self._codes))
        self.address = address(f)

    @property
    def states(self) -> int:
        """The number of counted states."""
        return self._fields.states

    def codes(self, leaf: int) -> list[int]:
        """How often a leaf had each code; empty if its codes are not counted."""
        start = self._starts.get(leaf)
        if start is None:
            return []
        return self._codes[start : start + self.layout.leaves[leaf].size]

    def counter(self, projection: int) -> CensusTally:
        """A projection's tally."""
        return CensusTally(ctypes.addressof(self._counters) + projection * CensusTally.words * WORD)


def codes_of(profiles: Sequence[ProfileCounts], leaf: int) -> list[int]:
    """How often a leaf had each code, over all threads."""
    return [sum(counts) for counts in zip(*(c.codes(leaf) for c in profiles), strict=True)]


def values_of(profiles: Sequence[ProfileCounts], projection: int) -> Estimate:
    """The number of distinct values of a projection, over all threads."""
    counters = [profile.counter(projection) for profile in profiles]
    if all(counter.values < EXACT for counter in counters):
        together = {h for counter in counters for h in counter.slots[:] if h}
        if len(together) < EXACT:  # a thread with more values would not have counted exactly
            return Estimate(float(len(together)), True)
    registers = zip(*(counter.registers[:] for counter in counters), strict=True)
    return Estimate(estimated([max(held) for held in registers]), False)


def estimated(registers: Sequence[int]) -> float:
    """The number of values estimated from registers, by Ertl's improved estimator (2017).

    A register is the greatest number of trailing zeros of a hash, plus 1; 0 without any hash.
    Hashes have 64 bits, of which 12 select the register.
    """
    size, longest = len(registers), 64 - 12
    counts = [0] * (longest + 2)
    for register in registers:
        counts[min(register, longest + 1)] += 1
    total = size * _tau(1 - counts[longest + 1] / size)
    for rank in range(longest, 0, -1):
        total = (total + counts[rank]) / 2
    total += size * _sigma(counts[0] / size)
    return size * size / (2 * math.log(2) * total)


def _sigma(x: float) -> float:
    if x == 1.0:
        return math.inf
    y, z, before = 1.0, x, -1.0
    while z != before:
        before = z
        x *= x
        z += x * y
        y += y
    return z


def _tau(x: float) -> float:
    if x in (0.0, 1.0):
        return 0.0
    y, z, before = 1.0, 1 - x, -1.0
    while z != before:
        before = z
        x = math.sqrt(x)
        y *= 0.5
        z -= (1 - x) ** 2 * y
    return z / 3
