"""Packed states in columns, as kernels take them: one column for each word of a state.

Also the common part of the kernels of searches and of graphs: contexts, and the steps of a batch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from specmodel.kernel.context import Context
from specmodel.kernel.program import Program
from specmodel.machine.words import LANES

Columns = ctypes.Array[ctypes.c_uint64]
Words = tuple[int, ...]


def in_columns(words: int, states: Sequence[Words]) -> tuple[Columns, int]:
    """States in columns, and the distance from one column to the next."""
    width = -(-len(states) // LANES) * LANES or LANES
    columns = (ctypes.c_uint64 * (words * width))()
    for word in range(words):
        columns[word * width : word * width + len(states)] = [s[word] for s in states]
    return columns, width


def in_rows(columns: Columns, words: int, width: int, count: int) -> list[Words]:
    """The first states in columns that lie `width` words apart."""
    return list(zip(*(columns[w * width : w * width + count] for w in range(words)), strict=True))


class Stepping:
    """A kernel whose functions make every step, and note findings in a context.

    `looked_for` are the records of a fresh context that are wanted, `scratch` the words after it.
    """

    program: Program
    looked_for: Iterable[int]
    scratch: int

    @property
    def bindings(self) -> int:
        """The most successors that a state can have."""
        return max(1, len(self.program.bindings))

    def context(self) -> Context:
        """A fresh context for one thread."""
        made = Context(self.program.context, self.scratch)
        for record in self.looked_for:
            made.want(record)
        return made

    def steps(
        self, function: Callable[..., Any], states: Sequence[Words], context: Context, columns: int
    ) -> list[Words]:
        """The output of a function with the arguments of `expand` for packed states, row by row."""
        given, width = in_columns(self.program.layout.words, states)
        room = width * self.bindings
        stride = room + LANES
        out = (ctypes.c_uint64 * (columns * stride))()
        context.count = 0
        batch = (ctypes.addressof(given), width, 0, len(states))
        function(*batch, ctypes.addressof(out), stride, room, context.address)
        return in_rows(out, columns, stride, context.count)
