"""Packed states in columns, as kernels take them: one column for each word of a state."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from specmodel.kernel.context import LANES

Columns = ctypes.Array[ctypes.c_uint64]


def in_columns(words: int, states: Sequence[tuple[int, ...]]) -> tuple[Columns, int]:
    """States in columns, and the distance from one column to the next."""
    width = -(-len(states) // LANES) * LANES or LANES
    columns = (ctypes.c_uint64 * (words * width))()
    for word in range(words):
        columns[word * width : word * width + len(states)] = [s[word] for s in states]
    return columns, width


def in_rows(columns: Columns, words: int, width: int, count: int) -> list[tuple[int, ...]]:
    """The first states in columns that lie `width` words apart."""
    return list(zip(*(columns[w * width : w * width + count] for w in range(words)), strict=True))
