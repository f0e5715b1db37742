"""Memory for 64-bit words that threads and machine code share."""

from __future__ import annotations

import ctypes

WORD = 8
"""Bytes of a word."""

LANES = 8
"""Words that an instruction works on at once, so kernels compute this number of states at once."""

LINES = 128
"""Bytes that a processor fetches together: words of two threads are at least this far apart."""


def aligned_words(count: int) -> ctypes.Array[ctypes.c_int64]:
    """`count` words, all zero, in cache lines that hold nothing else."""
    size = -(-count * WORD // LINES) * LINES
    memory = (ctypes.c_char * (size + LINES))()
    start = -ctypes.addressof(memory) % LINES
    return (ctypes.c_int64 * (size // WORD)).from_buffer(memory, start)
