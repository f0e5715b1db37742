"""Steps as rows of words, in machine Python. A row is sent to the shard of its target.

A row for a step between states of W words has 2 W + 1 words: the target, the source, and the origin
(the source's number in its shard, and from bit NUMBER on the binding). The shard of the target has
a table from states to numbers (`native.numbering`).

Of the steps that lead to a new state, the least counts: by its source, then by its binding. `best`
has a row of W + 2 words for each new state: the source, the origin, and the source's shard plus 1,
which is 0 as long as there is no step.
"""

from __future__ import annotations

import functools

from specmodel.dataclass import dataclass
from specmodel.engines.native.loop.steps import hash_state
from specmodel.engines.native.numbering import (
    AT_ONCE,
    asked_for,
    number_constants,
    number_of,
    number_states,
)
from specmodel.kernel.expanding import BINDING
from specmodel.machine.build import Code, build
from specmodel.machine.language import i64, lshr, machine, mulhi, ptr, ult
from specmodel.space.files import SHARD_SHIFT

W = 1
"""Words of a state; the translation replaces this value."""

NUMBER = SHARD_SHIFT
"""The first bit of an origin that belongs to the binding."""

PLACE_MASK = (1 << BINDING) - 1


@machine
def own_steps(out: ptr, stride: i64, n: i64, shards: i64, owners: ptr, counts: ptr) -> None:
    """Writes which shard owns the target of each of n steps, and counts the steps of each shard."""
    for i in range(n):
        shard = mulhi(hash_state(out + i, stride), shards)
        owners[i] = shard
        counts[shard] += 1


@machine
def place_steps(
    out: ptr,
    stride: i64,
    n: i64,
    sources: ptr,
    source_stride: i64,
    first: i64,
    owners: ptr,
    places: ptr,
    rows: ptr,
) -> None:
    """Writes n steps as rows, each to the next place for the shard that owns its target.

    `out` is the output of `edges`, `sources` the block of source states, and `first` the number of
    the first of them.
    """
    for i in range(n):
        owner = owners[i]
        row = rows + places[owner] * (2 * W + 1)
        places[owner] += 1
        origin = out[W * stride + i]
        source = origin & PLACE_MASK
        for w in range(W):
            row[w] = out[w * stride + i]
            row[W + w] = sources[w * source_stride + source]
        row[2 * W] = first + source | lshr(origin, BINDING) << NUMBER


@machine
def is_less(row: ptr, best: ptr) -> bool:
    """Whether a step is less than the best so far, by the words of its source, then its binding."""
    for w in range(W):
        if row[W + w] != best[w]:
            return ult(row[W + w], best[w])
    return lshr(row[2 * W], NUMBER) < lshr(best[W], NUMBER)


@machine
def settle_steps(
    table: ptr,
    buckets: i64,
    shards: i64,
    rows: ptr,
    n: i64,
    source_shard: i64,
    numbers: ptr,
    first: i64,
    count: i64,
    best: ptr,
) -> None:
    """Writes the numbers of the targets of n steps, -1 for those that the shard does not have.

    The `count` states from number `first` on are new: this keeps the best step to each of them.
    """
    for start in range(0, n, AT_ONCE):
        stop = min(n, start + AT_ONCE)
        for i in range(start, stop):
            numbers[i] = asked_for(table, buckets, shards, rows + i * (2 * W + 1), 1)
        for i in range(start, stop):
            row = rows + i * (2 * W + 1)
            number = number_of(table, buckets, numbers[i], row, 1)
            numbers[i] = number
            if number >= first and number < first + count:
                known = best + (number - first) * (W + 2)
                if known[W + 1] == 0 or is_less(row, known):
                    for w in range(W + 1):
                        known[w] = row[W + w]
                    known[W + 1] = source_shard + 1


@dataclass(frozen=True)
class StepRows:
    """The functions for states of one number of words. Calls release the GIL."""

    words: int
    code: Code

    @property
    def row(self) -> int:
        """Words of a step."""
        return 2 * self.words + 1

    @property
    def best_row(self) -> int:
        """Words of the best step to a state."""
        return self.words + 2


@functools.cache
def step_rows(words: int) -> StepRows:
    """The functions, compiled unless they are in the cache."""
    entries = (own_steps, place_steps, number_states, settle_steps)
    return StepRows(words, build(entries, number_constants(words)))
