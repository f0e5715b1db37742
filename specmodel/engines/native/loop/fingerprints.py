"""Fingerprints of states, one word each, in machine Python.

A table may hold them instead of states.

A fingerprint is a hash of all words of a state, never 0: an empty row is 0. The search takes two
states with the same fingerprint for one, so it omits the second. Every bit of a state changes every
bit of the fingerprint with probability of about one half, so similar states are no likelier to
collide.
"""

from __future__ import annotations

from specmodel.machine.language import i64, lshr, machine, ptr

W = 1
"""Words of a state; the translation replaces this value."""

SEED = 0x452821E638D01377
FIRST_FACTOR = 0x9FB21C651E98DF25
SECOND_FACTOR = 0xD6E8FEB86659FD93


@machine
def mixed_bits(h: i64) -> i64:
    """A bijection of words in which every bit of the result depends on every bit."""
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
