"""The hash of a state, word by word, in machine Python."""

from __future__ import annotations

from specmodel.machine.language import i64, lshr, machine

SEED = 0x2545F4914F6CDD1D
FACTOR = 0x9E3779B97F4A7C15
LAST_FACTOR = 0xD6E8FEB86659FD93


@machine
def mixed(h: i64, word: i64) -> i64:
    """A hash with one more word in it."""
    h = (h ^ word) * FACTOR
    return h ^ lshr(h, 32)


@machine
def finished(h: i64) -> i64:
    """The last step of a hash: spreads the low bits to the high ones, which are used."""
    h = h * LAST_FACTOR
    return (h ^ lshr(h, 29)) * FACTOR
