"""A table from packed states to their numbers, in machine Python.

The table is filled once and never grows. States have the same places as in the table of a search. A
row is the W words of a state and its number plus 1; a row that ends with 0 is empty.
"""

from __future__ import annotations

import functools

from specmodel.engines.native.loop.core import bucket_rows, table_constants
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.loop.sizes import LOAD
from specmodel.engines.native.loop.steps import (
    BUCKET,
    find_row,
    free_row,
    hash_state,
    prefetch_bucket,
)
from specmodel.machine.build import Code, build
from specmodel.machine.language import i64, machine, mulhi, ptr
from specmodel.machine.words import WORD

W = 1
"""Words of a state; the translation replaces this value."""

R = 2
"""Words of a row; the translation replaces this value."""

AT_ONCE = 32
"""Rows that are fetched before any of them is compared."""


@machine
def asked_for(table: ptr, buckets: i64, shards: i64, state: ptr, stride: i64) -> i64:
    """The home bucket of a state in its shard's table; fetches the bucket's cache lines."""
    home = mulhi(hash_state(state, stride) * shards, buckets)
    prefetch_bucket(table + home * (BUCKET * R))
    return home


@machine
def number_of(table: ptr, buckets: i64, home: i64, state: ptr, stride: i64) -> i64:
    """The number of a state; -1 if the table does not have it."""
    return find_row(table, buckets, home, 0, 0, state, stride)[W] - 1


@machine
def number_states(
    table: ptr, buckets: i64, shards: i64, base: ptr, stride: i64, n: i64, first: i64
) -> None:
    """Inserts n states of a shard, none of which is there; `first` is the first one's number."""
    for start in range(0, n, AT_ONCE):
        stop = min(n, start + AT_ONCE)
        for at in range(start, stop):
            asked_for(table, buckets, shards, base + at, stride)
        for at in range(start, stop):
            home = asked_for(table, buckets, shards, base + at, stride)
            row = free_row(table, buckets, home, buckets)
            for w in range(W):
                row[w] = base[w * stride + at]
            row[W] = first + at + 1


@machine
def numbers_of(table: ptr, buckets: i64, base: ptr, stride: i64, n: i64, numbers: ptr) -> None:
    """The number of each of n states; -1 for those that the table does not have."""
    for start in range(0, n, AT_ONCE):
        stop = min(n, start + AT_ONCE)
        for at in range(start, stop):
            numbers[at] = asked_for(table, buckets, 1, base + at, stride)
        for at in range(start, stop):
            numbers[at] = number_of(table, buckets, numbers[at], base + at, stride)


def number_constants(words: int) -> dict[str, int]:
    """The constants with which the module is translated."""
    return table_constants(words, words + 1)


def buckets_for(words: int, states: int) -> int:
    """The number of buckets of a table for this number of states."""
    return (int(states / LOAD) // (2 * bucket_rows(words + 1)) + 1) * 2


def table_size(words: int, buckets: int) -> int:
    """The bytes of a table of this number of buckets."""
    return buckets * bucket_rows(words + 1) * (words + 1) * WORD


@functools.cache
def _code(words: int) -> Code:
    return build([number_states, numbers_of], number_constants(words))


class Numbering:
    """The numbers of states in columns: their places in the columns."""

    def __init__(self, words: int, base: int, stride: int, count: int, memory: Memory) -> None:
        """`base` is the address of the columns, `stride` the distance of two columns.

        Raises MemoryLimit. Closing releases the memory.
        """
        self._code = _code(words)
        self._memory = memory
        self._buckets = buckets_for(words, count)
        self._table = memory.region(table_size(words, self._buckets))
        self._code[number_states](self._table.address, self._buckets, 1, base, stride, count, 0)

    def ask(self, base: int, stride: int, count: int, numbers: int) -> None:
        """Writes the numbers of states in columns to an address, -1 for states without a number."""
        self._code[numbers_of](self._table.address, self._buckets, base, stride, count, numbers)

    def close(self) -> None:
        """Releases the memory."""
        size = self._table.size
        self._table.close()
        self._memory.returned(size)
