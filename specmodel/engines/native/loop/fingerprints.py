"""Fingerprints, which a table may hold instead of states, in machine Python: a word for each.

A fingerprint is a hash of all of a state's words, never 0: an empty row is 0. Two states with the
same one are taken for one, so the second is omitted. Every bit of a state changes every bit of it
about half of the time, so that states which differ little are no likelier to be confused.
"""

from __future__ import annotations

from specmodel.machine.language import i64, lshr, machine, ptr

W = 1
"""Words a state; the value used is given when this is translated."""

SEED = 0x452821E638D01377
FIRST_FACTOR = 0x9FB21C651E98DF25
SECOND_FACTOR = 0xD6E8FEB86659FD93


@machine
def mixed_bits(h: i64) -> i64:
    """A bijection of words in which every bit depends on every bit."""
    h = (h ^ lshr(h, 32)) * SECOND_FACTOR
    h = (h ^ lshr(h, 29)) * FIRST_FACTOR
    h = (h ^ lshr(h, 32)) * SECOND_FACTOR
    return h ^ lshr(h, 32)


@machine
def fingerprint_column(base: ptr, stride: i64, n: i64, hashes: ptr) -> None:
    """The fingerprints of n states."""
    for i in range(n):
        h = SEED
        for w in range(W):
            h = mixed_bits(h ^ base[w * stride + i]) + SEED
        hashes[i] = h + (h == 0)
