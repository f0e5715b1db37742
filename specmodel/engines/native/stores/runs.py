"""Sorted runs of states, in machine Python: made from tables, merged, and searched.

A run holds rows as in a table, with their tags, in the order of their hashes. The hashes are
divided into ranges, and a directory gives the row at which each range starts: a half word each,
with one more for the end. Python owns the structure of a run.

A state on its way into a run is an item: its row and its hash. The last word of the row is 0 if the
state does not go into the run after all.
"""

from __future__ import annotations

from specmodel.engines.native.loop import fields
from specmodel.engines.native.loop.fields import ShardWords
from specmodel.engines.native.loop.steps import empty_rows, free_row, hash_row
from specmodel.machine.language import (
    Structure,
    address,
    cttz,
    i64,
    lshr,
    machine,
    mulhi,
    ptr,
    ult,
)

W = 1
"""Words of a state; the translation replaces this value."""

BUCKET = 8
"""Rows of a bucket of a table; the value depends on the words of a state."""


class RunWords(Structure):
    """A run. `first_row` and `directory` are addresses."""

    first_row: i64
    at: i64
    end: i64
    mask: i64
    newest_tag: i64
    newest: i64
    directory: i64
    shift: i64
    first: i64
    ranges: i64
    head: i64
    """The hash of the row at `at` while runs are merged.

    While rows are adopted, the number of the present group.
    """


START = (1 << 32) - 1
"""The bits of a directory entry that hold a range's start."""

GROUP = 64
"""Rows that are adopted one after the other."""

FAR = 1 << 12
"""The most buckets that are searched for a free row. In a table that is filled evenly, one of the
next few hundred buckets has a free row.
"""


@machine
def gather_items(
    c: ShardWords, first: i64, end: i64, low: i64, high: i64, items: ptr, limit: i64
) -> i64:
    """Makes items of the rows with a home bucket from `first` to `end`, and a level from `low` to
    `high`.

    `first` and `end` are even. Returns their number, or -1 if it exceeds the limit.
    """
    table = ptr(c.table)
    buckets = c.buckets
    shift = cttz(c.tag_step)
    bucket = first
    passed = 0
    count = 0
    more = True
    while more:
        pair = table + bucket * (BUCKET * W)
        for k in range(2 * BUCKET):
            row = pair + k * W
            level = lshr(row[W - 1], shift) - 1
            if low <= level and level <= high:
                h = hash_row(row, c.state_mask)
                own = mulhi(h * c.shards, buckets)
                if first <= own and own < end:
                    if count == limit:
                        return -1
                    item = items + count * (W + 1)
                    for w in range(W):
                        item[w] = row[w]
                    item[W] = h
                    count += 1
        passed += 2
        bucket += 2
        if bucket == buckets:
            bucket = 0
        # A row is in its own pair of buckets or, if that was full, in the next pair that was not
        # full.
        empty = empty_rows(pair) | empty_rows(pair + BUCKET * W)
        more = passed < buckets and (passed < end - first or empty == 0)
    return count


@machine
def sort_items(items: ptr, n: i64) -> None:
    """Sorts items by their hashes. They come from a table, so each is near its final place."""
    spare = items + n * (W + 1)
    for i in range(1, n):
        item = items + i * (W + 1)
        h = item[W]
        if ult(h, item[-1]):
            for w in range(W + 1):
                spare[w] = item[w]
            to = i
            while to > 0 and ult(h, items[to * (W + 1) - 1]):
                for w in range(W + 1):
                    items[to * (W + 1) + w] = items[(to - 1) * (W + 1) + w]
                to -= 1
            for w in range(W + 1):
                items[to * (W + 1) + w] = spare[w]


@machine
def range_start(r: RunWords, number: i64) -> i64:
    """The row at which a range starts."""
    return lshr(ptr(r.directory)[number >> 1], (number & 1) << 5) & START


@machine
def drop_known(r: RunWords, items: ptr, n: i64) -> None:
    """Drops the items that a run has."""
    for i in range(n):
        item = items + i * (W + 1)
        number = lshr(item[W], r.shift) - r.first
        if item[W - 1] != 0 and number >= 0 and number < r.ranges:
            for at in range(range_start(r, number), range_start(r, number + 1)):
                row = ptr(r.first_row) + at * W
                difference = (row[W - 1] ^ item[W - 1]) & r.mask
                for w in range(W - 1):
                    difference |= row[w] ^ item[w]
                if difference == 0:
                    item[W - 1] = 0
                    break


@machine
def append_items(r: RunWords, block: ptr, items: ptr, n: i64) -> i64:
    """Writes the rows of sorted items to a block, and counts them in the run's directory.

    Returns their number.
    """
    directory = ptr(r.directory)
    count = 0
    for i in range(n):
        item = items + i * (W + 1)
        if item[W - 1] != 0:
            for w in range(W):
                block[count * W + w] = item[w]
            number = lshr(item[W], r.shift) - r.first
            directory[number >> 1] += 1 << ((number & 1) << 5)
            r.newest += item[W - 1] & ~r.mask == r.newest_tag
            count += 1
    r.end += count
    return count


@machine
def finish_directory(r: RunWords) -> None:
    """Converts the counts of the directory to starts."""
    directory = ptr(r.directory)
    start = 0
    for i in range(lshr(r.ranges, 1) + 1):
        counts = directory[i]
        second = start + (counts & START)
        directory[i] = start | (second << 32)
        start = second + lshr(counts, 32)


@machine
def read_head(r: RunWords) -> None:
    """Notes the hash of the row at `at`, unless `at` is the end."""
    if r.at < r.end:
        r.head = hash_row(ptr(r.first_row) + r.at * W, r.mask)


@machine
def merge_runs(runs: ptr, k: i64, items: ptr, limit: i64) -> i64:
    """Makes the next items, in order, of the k runs at these addresses; returns their number."""
    for j in range(k):
        read_head(RunWords(runs[j]))
    count = 0
    while count < limit:
        least = RunWords(0)
        for j in range(k):
            r = RunWords(runs[j])
            if r.at < r.end and (address(least) == 0 or ult(r.head, least.head)):
                least = r
        if address(least) == 0:
            break
        row = ptr(least.first_row) + least.at * W
        item = items + count * (W + 1)
        for w in range(W):
            item[w] = row[w]
        item[W] = least.head
        least.at += 1
        read_head(least)
        count += 1
    return count


@machine
def adopt_rows(c: ShardWords, r: RunWords, step: i64) -> i64:
    """Inserts the shard's own rows of a run, from `at` on, into the shard's table.

    The table has none of them yet. Rows with the shard's tag go into the fresh chunk as well. Rows
    are taken in groups of GROUP, each `step` groups after the one before: see `Checkpointing`. A
    file may have all of its rows in one part of the table; then there is no free row nearby.
    Returns DONE, FRESH_FULL or TABLE_FULL.
    """
    mask = c.state_mask
    groups = lshr(r.end, cttz(GROUP))
    while r.at < r.end:
        if c.used >= c.most:
            return fields.TABLE_FULL
        if c.fresh_count == c.chunk:
            return fields.FRESH_FULL
        at = r.at
        if at < groups * GROUP:
            at = r.head * GROUP + (at & (GROUP - 1))
        row = ptr(r.first_row) + at * W
        h = hash_row(row, mask)
        if mulhi(h, c.shards) == c.own:
            home = mulhi(h * c.shards, c.buckets)
            place = free_row(ptr(c.table), c.buckets, home, FAR)
            if address(place) == 0:
                return fields.TABLE_FULL
            for w in range(W):
                place[w] = row[w]
            c.used += 1
            if row[W - 1] & ~mask == c.tag:
                fresh = ptr(c.fresh) + c.fresh_count
                for w in range(W - 1):
                    fresh[w * c.chunk] = row[w]
                fresh[(W - 1) * c.chunk] = row[W - 1] & mask
                c.fresh_count += 1
        r.at += 1
        if r.at & (GROUP - 1) == 0:
            r.head += step
            if r.head >= groups:
                r.head -= groups
    return fields.DONE
