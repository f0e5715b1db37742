"""From packed states to their numbers, in machine Python: a table of rows, a state and its number.

The table is open to all that has been put in and never grows. A row is W words of a state and its
number plus 1; a row that ends with 0 is empty. A table of `capacity` rows holds fewer states.
"""

from __future__ import annotations

import functools

from specmodel.engines.native.machine.build import Code, build
from specmodel.engines.native.machine.language import i64, machine, mulhi, ptr
from specmodel.engines.native.memory import WORD, Memory
from specmodel.engines.native.steps import SEED, finished, mixed

W = 1
"""Words a state; the value used is given when this is translated."""


@machine
def place_of(table: ptr, capacity: i64, base: ptr, stride: i64, at: i64) -> i64:
    """The row of a state, or the empty one where it would go."""
    h = SEED
    for w in range(W):
        h = mixed(h, base[w * stride + at])
    row = mulhi(finished(h), capacity)
    while table[row * (W + 1) + W] != 0:
        difference = 0
        for w in range(W):
            difference |= table[row * (W + 1) + w] ^ base[w * stride + at]
        if difference == 0:
            break
        row += 1
        if row == capacity:
            row = 0
    return row


@machine
def number_states(table: ptr, capacity: i64, base: ptr, stride: i64, n: i64) -> None:
    """Puts n different states in, numbered by their place."""
    for at in range(n):
        row = table + place_of(table, capacity, base, stride, at) * (W + 1)
        for w in range(W):
            row[w] = base[w * stride + at]
        row[W] = at + 1


@machine
def numbers_of(table: ptr, capacity: i64, base: ptr, stride: i64, n: i64, numbers: ptr) -> None:
    """The number of each of n states; -1 for those that are not in."""
    for at in range(n):
        row = place_of(table, capacity, base, stride, at)
        numbers[at] = table[row * (W + 1) + W] - 1


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
        self._code[number_states](self._table.address, self._capacity, base, stride, count)

    def ask(self, base: int, stride: int, count: int, numbers: int) -> None:
        """Writes the numbers of states in columns to an address, -1 for those without one."""
        self._code[numbers_of](self._table.address, self._capacity, base, stride, count, numbers)

    def close(self) -> None:
        """Gives the memory back."""
        size = self._table.size
        self._table.close()
        self._memory.returned(size)
