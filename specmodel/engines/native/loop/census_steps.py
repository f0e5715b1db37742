"""What a census does with a batch of states, in machine Python.

A tally of a projection of states (some of their bits) says how many different values it has: an
exact set of hashes while that is small, and registers for an estimate (HyperLogLog: Flajolet,
Fusy, Gandouet, Meunier 2007) beyond.
"""

from __future__ import annotations

from specmodel.engines.native.loop.probing import slot_of
from specmodel.engines.native.loop.steps import SEED, finished, mixed
from specmodel.machine.language import cttz, i64, lshr, machine, ptr

W = 1
"""Words a state; the value used is given when this is translated."""

EXACT = 4096
"""Different values that are counted exactly."""

SLOTS = 8192
REGISTERS = 4096
REGISTER_SHIFT = 52
TALLY = 1 + SLOTS + REGISTERS
"""Words of a tally: values in the set, the set's slots, the registers."""

# Where each field of a census is.
STATES = 0
MASKS = 1
PROJECTIONS = 2
TALLIES = 3
LEAVES = 4
LEAF_COUNT = 5
CODES = 6
FIELDS = 7


@machine
def enter(tally: ptr, h: i64) -> None:
    """Counts a value by its hash."""
    register = tally + (1 + SLOTS + lshr(h, REGISTER_SHIFT))
    rank = cttz(h) + 1
    if rank > register[0]:
        register[0] = rank
    if tally[0] < EXACT:
        h |= h == 0
        slot = slot_of(tally + 1, SLOTS, 1, h)
        if slot[0] == 0:
            slot[0] = h
            tally[0] += 1


@machine
def project(base: ptr, stride: i64, n: i64, masks: ptr, projections: i64, tallies: ptr) -> None:
    """Enters n states of columns into the tally of each projection, given by a mask a word."""
    for p in range(projections):
        mask = masks + p * W
        tally = tallies + p * TALLY
        for i in range(n):
            h = SEED
            for w in range(W):
                h = mixed(h, base[w * stride + i] & mask[w])
            enter(tally, finished(h))


@machine
def count_codes(base: ptr, stride: i64, n: i64, leaves: ptr, count: i64, codes: ptr) -> None:
    """Counts how often each leaf has each code. A leaf: word, shift, mask, and where it counts."""
    for leaf in range(count):
        column = base + leaves[leaf * 4] * stride
        shift = leaves[leaf * 4 + 1]
        mask = leaves[leaf * 4 + 2]
        at = codes + leaves[leaf * 4 + 3]
        for i in range(n):
            at[lshr(column[i], shift) & mask] += 1


@machine
def take_census(census: ptr, base: ptr, stride: i64, n: i64) -> None:
    """Takes in n states of columns."""
    census[STATES] += n
    project(base, stride, n, ptr(census[MASKS]), census[PROJECTIONS], ptr(census[TALLIES]))
    count_codes(base, stride, n, ptr(census[LEAVES]), census[LEAF_COUNT], ptr(census[CODES]))
