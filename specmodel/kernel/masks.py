"""The kernel functions on the masks of a block, and their tables, which each kernel has.

A mask is LANES words of 64 bits, a bit for each state of the block. Its place is counted in masks
from the start of the scratch (`specmodel.kernel.blocks`).
"""

from __future__ import annotations

from specmodel.kernel.context import NoteWords
from specmodel.kernel.note import note_block
from specmodel.machine.language import (
    Structure,
    add_ones,
    and_words,
    ctpop,
    i64,
    lshr,
    machine,
    ptr,
)
from specmodel.machine.words import LANES

BLOCK = 64 * LANES
"""States whose bits are one mask."""


class Gate(Structure):
    """A gate, as it runs. Its masks are given by their first words in the scratch."""

    operands: i64
    """Two operands, of 32 bits each: the first word of a mask, plus 1 if it is negated."""
    result: i64


class Note(Structure):
    """The use of a mask of findings."""

    place: i64
    record: i64
    """The index of the record of the findings in the context."""
    binding: i64
    wanted: i64
    """The index of the word that says whether the record is wanted; 0 if it always is."""


class CountedMask(Structure):
    """A mask whose states are counted."""

    place: i64
    counter: i64


@machine
def begin_block(size: i64, scratch: ptr) -> i64:
    """Sets the mask of the states that exist in a block; returns the number of their vectors."""
    for w in range(LANES):
        left = size - w * 64
        scratch[w] = -1 if left >= 64 else (1 << max(left, 0)) - 1
    return lshr(size + LANES - 1, 3)


@machine
def run_gates(gates: ptr, n: i64, scratch: ptr) -> None:
    """Runs n gates, one after the other."""
    for i in range(n):
        gate = Gate(gates + i * Gate.words)
        a = gate.operands & 0xFFFFFFFF
        b = lshr(gate.operands, 32)
        and_words(
            scratch + gate.result,
            scratch + (a & -LANES),
            -(a & 1),
            scratch + (b & -LANES),
            -(b & 1),
        )


@machine
def ones(mask: ptr) -> i64:
    """The number of states of a mask."""
    found = 0
    for w in range(LANES):
        found += ctpop(mask[w])
    return found


@machine
def empty(mask: ptr) -> bool:
    """Whether a mask has no state."""
    found = 0
    for w in range(LANES):
        found |= mask[w]
    return found == 0


@machine
def note_found(
    notes: ptr, n: i64, columns: ptr, stride: i64, at: i64, scratch: ptr, context: ptr
) -> None:
    """Notes the states of n masks in a context, where they are wanted."""
    for i in range(n):
        row = Note(notes + i * Note.words)
        mask = scratch + row.place * LANES
        if not empty(mask) and (row.wanted == 0 or context[row.wanted] != 0):
            record = NoteWords(context + row.record)
            note_block(record, columns, stride, at, mask, row.binding)


@machine
def count_masks(counts: ptr, n: i64, counters: ptr, scratch: ptr) -> None:
    """Adds the numbers of states of n masks to counters."""
    for i in range(n):
        row = CountedMask(counts + i * CountedMask.words)
        add_ones(counters + row.counter * LANES, scratch + row.place * LANES)
