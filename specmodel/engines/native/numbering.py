"""From packed states to their numbers, in machine Python: a table of rows, a state and its number.

The table is open to all that has been put in and never grows. A row is W words of a state and its
number plus 1; a row that ends with 0 is empty. A table of `capacity` rows holds fewer states: those
of one of some shards, of which the hash of a state says which has it, or all, as of one shard.
"""

from __future__ import annotations

import functools

from specmodel.engines.native.machine.build import Code, build
from specmodel.engines.native.machine.language import i64, machine, mulhi, prefetch, ptr
from specmodel.engines.native.memory import WORD, Memory
from specmodel.engines.native.steps import SEED, finished, mixed

W = 1
"""Words a state; the value used is given when this is translated."""


AT_ONCE = 32
"""Rows that are asked for before any of them is looked at."""


@machine
def hash_of(state: ptr, stride: i64) -> i64:
    """The hash of a state, as a search has it; its words are `stride` apart."""
    h = SEED
    for w in range(W):
        h = mixed(h, state[w * stride])
    return finished(h)


@machine
def place_of(table: ptr, capacity: i64, shards: i64, state: ptr, stride: i64) -> i64:
    """The row at which a state's hash says to look, which is asked for."""
    row = mulhi(hash_of(state, stride) * shards, capacity)
    prefetch(table + row * (W + 1))
    return row


@machine
def number_of(table: ptr, capacity: i64, row: i64, state: ptr, stride: i64) -> i64:
    """The number of a state whose hash says to look at a row; -1 if it is not in."""
    while table[row * (W + 1) + W] != 0:
        difference = 0
        for w in range(W):
            difference |= table[row * (W + 1) + w] ^ state[w * stride]
        if difference == 0:
            break
        row += 1
        if row == capacity:
            row = 0
    return table[row * (W + 1) + W] - 1


@machine
def number_states(
    table: ptr, capacity: i64, shards: i64, base: ptr, stride: i64, n: i64, first: i64
) -> None:
    """Puts n states of a shard in, which are not in yet; `first` is the number of the first."""
    for start in range(0, n, AT_ONCE):
        stop = min(n, start + AT_ONCE)
        for at in range(start, stop):
            place_of(table, capacity, shards, base + at, stride)
        for at in range(start, stop):
            row = place_of(table, capacity, shards, base + at, stride)
            while table[row * (W + 1) + W] != 0:
                row += 1
                if row == capacity:
                    row = 0
            to = table + row * (W + 1)
            for w in range(W):
                to[w] = base[w * stride + at]
            to[W] = first + at + 1


@machine
def numbers_of(table: ptr, capacity: i64, base: ptr, stride: i64, n: i64, numbers: ptr) -> None:
    """The number of each of n states of all shards; -1 for those that are not in."""
    for start in range(0, n, AT_ONCE):
        stop = min(n, start + AT_ONCE)
        for at in range(start, stop):
            numbers[at] = place_of(table, capacity, 1, base + at, stride)
        for at in range(start, stop):
            numbers[at] = number_of(table, capacity, numbers[at], base + at, stride)


@functools.cache
def _code(words: int) -> Code:
    return build([number_states, numbers_of], {"W": words})


class Numbering:
    """The numbers of states, which are given in columns: their places there."""

    def __init__(self, words: int, base: int, stride: int, count: int, memory: Memory) -> None:
        """`base` is the address of the columns, `stride` from one to the next. Raises MemoryLimit.

        Closing gives the memory back.
        """
        self._code = _code(words)
        self._memory = memory
        self._capacity = count + count // 2 + 8
        self._table = memory.region(self._capacity * (words + 1) * WORD)
        self._code[number_states](self._table.address, self._capacity, 1, base, stride, count, 0)

    def ask(self, base: int, stride: int, count: int, numbers: int) -> None:
        """Writes the numbers of states in columns to an address, -1 for those without one."""
        self._code[numbers_of](self._table.address, self._capacity, base, stride, count, numbers)

    def close(self) -> None:
        """Gives the memory back."""
        size = self._table.size
        self._table.close()
        self._memory.returned(size)
