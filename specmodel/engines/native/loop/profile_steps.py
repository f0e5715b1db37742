"""Counts the values of a batch of states for a profile, in machine Python.

A counter of a projection (some bits of a state) estimates the number of its distinct values: an
exact set of hashes while the set is small, and registers for an estimate (HyperLogLog: Flajolet,
Fusy, Gandouet, Meunier 2007) beyond.
"""

from __future__ import annotations

from specmodel.engines.native.loop.hashing import SEED, finished, mixed
from specmodel.engines.native.loop.probing import slot_of
from specmodel.machine.language import Structure, Words, cttz, i64, lshr, machine, ptr

W = 1
"""Words of a state; the translation replaces this value."""

EXACT = 4096
"""The greatest number of distinct values that are counted exactly."""

SLOTS = 8192
REGISTERS = 4096
REGISTER_SHIFT = 52


class CensusTally(Structure):
    """A tally."""

    values: i64
    """How many are in the set."""
    slots: Words = Words(SLOTS)
    registers: Words = Words(REGISTERS)


class CountedLeaf(Structure):
    """The place of a leaf in states, and the place of its counts by code."""

    word: i64
    shift: i64
    mask: i64
    at: i64


class CensusWords(Structure):
    """A census."""

    states: i64
    masks: i64
    projections: i64
    counters: i64
    leaves: i64
    leaf_count: i64
    codes: i64


@machine
def enter(counter: CensusTally, h: i64) -> None:
    """Counts a value by its hash."""
    register = counter.registers + lshr(h, REGISTER_SHIFT)
    rank = cttz(h) + 1
    if rank > register[0]:
        register[0] = rank
    if counter.values < EXACT:
        h |= h == 0
        slot = slot_of(counter.slots, SLOTS, 1, h)
        if slot[0] == 0:
            slot[0] = h
            counter.values += 1


@machine
def project(base: ptr, stride: i64, n: i64, masks: ptr, projections: i64, counters: ptr) -> None:
    """Enters n states of columns into the counter of each projection, given by a mask a word."""
    for p in range(projections):
        mask = masks + p * W
        counter = CensusTally(counters + p * CensusTally.words)
        for i in range(n):
            h = SEED
            for w in range(W):
                h = mixed(h, base[w * stride + i] & mask[w])
            enter(counter, finished(h))


@machine
def count_codes(base: ptr, stride: i64, n: i64, leaves: ptr, count: i64, codes: ptr) -> None:
    """Counts how often each leaf has each code. `leaves` are each a `CountedLeaf`."""
    for leaf in range(count):
        counted = CountedLeaf(leaves + leaf * CountedLeaf.words)
        column = base + counted.word * stride
        shift = counted.shift
        mask = counted.mask
        at = codes + counted.at
        for i in range(n):
            at[lshr(column[i], shift) & mask] += 1


@machine
def count_profile(profile: CensusWords, base: ptr, stride: i64, n: i64) -> None:
    """Takes in n states of columns."""
    profile.states += n
    project(base, stride, n, ptr(profile.masks), profile.projections, ptr(profile.counters))
    count_codes(base, stride, n, ptr(profile.leaves), profile.leaf_count, ptr(profile.codes))
