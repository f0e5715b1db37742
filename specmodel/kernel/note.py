"""The kernel functions that note states, keeping the least: no report depends on an order.

A state comes before another by its words, compared as unsigned, the first most significant; of two
equal states, by their bindings.
"""

from __future__ import annotations

from specmodel.kernel.context import NoteWords
from specmodel.machine.language import address, cttz, i64, machine, ptr, ult, unrolled
from specmodel.machine.words import LANES

W = 1
"""Words of a state; the translation replaces this value."""


@machine
def precedes(state: ptr, stride: i64, binding: i64, words: ptr, noted: i64) -> bool:
    """Whether a state in columns with its binding comes before the words and binding of another."""
    for w in unrolled(W):
        word = state[w * stride]
        if word != words[w]:
            return ult(word, words[w])
    return binding < noted


@machine
def note(
    record: NoteWords, columns: ptr, stride: i64, first: i64, lanes: i64, binding: i64
) -> None:
    """Notes the state at `first` + lane for each bit of `lanes`, if it precedes the noted one."""
    words = ptr(address(record)) + NoteWords.words
    while lanes != 0:
        state = columns + first + cttz(lanes)
        if not record.found or precedes(state, stride, binding, words, record.binding):
            record.found = 1
            record.binding = binding
            for w in unrolled(W):
                words[w] = state[w * stride]
        lanes &= lanes - 1


@machine
def note_block(
    record: NoteWords, columns: ptr, stride: i64, first: i64, mask: ptr, binding: i64
) -> None:
    """Notes the states of a block (`specmodel.kernel.blocks`) that a mask has."""
    for w in range(LANES):
        note(record, columns, stride, first + w * 64, mask[w], binding)
