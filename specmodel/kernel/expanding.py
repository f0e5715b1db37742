"""The kernel function that makes the steps of states, block by block, and its tables.

The masks of a block say in which of its states a binding is enabled. These states are gathered, so
that the effect is computed for LANES of them at a time, however few of the block they are, and
without a branch that depends on a single state.
"""

from __future__ import annotations

from specmodel.kernel.context import LINE, ContextHead, NoteWords
from specmodel.kernel.masks import BLOCK, note_found, ones
from specmodel.kernel.note import note_block
from specmodel.machine.language import (
    Structure,
    add_ones,
    address,
    and_words,
    call,
    cttz,
    i64,
    machine,
    ptr,
    unrolled,
)
from specmodel.machine.words import LANES, WORD

W = 1
"""Words of a state; the translation replaces this value."""

QUEUE = BLOCK + LANES
"""The distance of two words of gathered states; the last vector may be incomplete."""

BINDING = 32
"""The first bit of an origin that belongs to the binding."""


class StepTables(Structure):
    """How the steps of a design are made. Places of masks are counted as in `masks`."""

    guards: i64
    """The address of the function that makes the masks of a block."""
    moves: i64
    """The address of the moves, and their number."""
    move_count: i64
    spans: i64
    """The address of pairs, and their number: the place and number of masks that lie together."""
    span_count: i64
    origins: i64
    """1 if an origin follows the words of a successor, and nothing is counted; else 0."""
    stuck: i64
    """The place of the mask of states without an enabled step."""
    notes: i64
    """The address of the notes after a block's steps, and their number."""
    note_count: i64
    queue: i64
    """The place of the gathered states."""
    context_words: i64
    """The words of a context, after which its scratch begins."""
    level: i64
    """The index in the context of the level of the states."""
    least: i64
    """The address of the function that puts the least states of their orbits in the places of LANES
    successors; 0 if states stand for themselves."""
    fewer: i64
    """The index in the context of the counter of states in `some`, of which fewer steps are made
    than are enabled."""
    some: i64


class Move(Structure):
    """A binding, or the bindings of a loop."""

    effect: i64
    """The address of the function that makes the successors of LANES states."""
    masks: i64
    """The place of the mask of the first binding, and the number of bindings."""
    count: i64
    number: i64
    """The number of the first binding."""
    instance: i64
    """The place of the first binding in the effect, which other bindings share."""
    fired: i64
    """The index in the context of the action's counter, and of the record of its first level."""
    first: i64


@machine
def scratch_after(context: ContextHead, words: i64) -> ptr:
    """The scratch after the words of a context, at the start of a cache line."""
    return ptr(address(context) + (words + LINE - 1) * WORD & -LINE * WORD)


@machine
def weigh(e: StepTables, scratch: ptr) -> i64:
    """The number of steps of a block. Makes the mask of the states without any."""
    stuck = scratch + e.stuck * LANES
    sums = scratch + e.queue * LANES  # no state is gathered yet
    for w in range(LANES):
        stuck[w] = scratch[w]
        sums[w] = 0
    for s in range(e.span_count):
        span = ptr(e.spans) + s * 2
        masks = scratch + span[0] * LANES
        for m in range(span[1]):
            mask = masks + m * LANES
            and_words(stuck, stuck, 0, mask, -1)
            add_ones(sums, mask)
    total = 0
    for w in range(LANES):
        total += sums[w]
    return total


@machine
def gather(states: ptr, stride: i64, mask: ptr, queue: ptr) -> i64:
    """Copies the states of a mask to the queue; returns their number."""
    count = 0
    for w in range(LANES):
        bits = mask[w]
        first = states + w * 64
        while bits != 0:
            state = first + cttz(bits)
            for word in unrolled(W):
                queue[word * QUEUE + count] = state[word * stride]
            count += 1
            bits &= bits - 1
    return count


@machine
def list_origins(mask: ptr, origins: ptr, first: i64) -> None:
    """Lists the places in the block of the states of a mask, each plus `first`."""
    count = 0
    for w in range(LANES):
        bits = mask[w]
        while bits != 0:
            origins[count] = first + w * 64 + cttz(bits)
            count += 1
            bits &= bits - 1


@machine
def step_block(
    e: StepTables,
    columns: ptr,
    stride: i64,
    at: i64,
    done: i64,
    scratch: ptr,
    out: ptr,
    out_stride: i64,
    context: ContextHead,
) -> None:
    """Makes the steps of the block at `at`, binding by binding; `done` states come before it."""
    words = ptr(address(context))
    queue = scratch + e.queue * LANES
    level = words[e.level]
    count = context.count
    for m in range(e.move_count):
        move = Move(ptr(e.moves) + m * Move.words)
        for nth in range(move.count):
            mask = scratch + (move.masks + nth) * LANES
            k = gather(columns + at, stride, mask, queue)
            if k == 0:
                continue
            number = move.number + nth
            for j in range(0, k, LANES):
                to = out + count + j
                call(move.effect, queue + j, k - j, to, out_stride, words, move.instance + nth)
            if e.origins:
                list_origins(mask, out + W * out_stride + count, (number << BINDING) + done)
            else:
                words[move.fired] += k
                first = NoteWords(words + move.first)
                if first.wanted >= level:
                    first.wanted = level
                    note_block(first, columns, stride, at, mask, number)
            count += k
    if e.least:
        for j in range(context.count, count, LANES):
            call(e.least, out + j, out_stride)
    context.count = count


@machine
def expand_blocks(
    e: StepTables,
    columns: ptr,
    stride: i64,
    start: i64,
    n: i64,
    out: ptr,
    out_stride: i64,
    out_limit: i64,
    context: ContextHead,
) -> i64:
    """Makes the steps of n states, block by block: `expand` in `specmodel.kernel.module`.

    The number of steps of a block is known before any is made. The first block is smaller if its
    steps do not fit.
    """
    words = ptr(address(context))
    scratch = scratch_after(context, e.context_words)
    i = 0
    while i < n:
        at = start + i
        size = min(n - i, BLOCK)
        while True:
            call(e.guards, columns, stride, at, size, scratch, words)
            if weigh(e, scratch) <= out_limit - context.count:
                break
            if i > 0 or size <= LANES:
                return i
            size = (size >> 1) + LANES - 1 & -LANES
        step_block(e, columns, stride, at, i, scratch, out, out_stride, context)
        note_found(ptr(e.notes), e.note_count, columns, stride, at, scratch, words)
        if e.fewer:
            words[e.fewer] += ones(scratch + e.some * LANES)
        i += size
    return i
