"""Sorted runs of packed states, in machine Python: made from tables, merged, and looked into.

A run holds states in the order of their hashes, each with its level. Its struct is a packing whose
entries stay where they are. The hashes are cut into ranges, and a directory says at which entry
each range starts: a half word each, with one more for the end. A state on its way into a run is an
item: its words, its level (DROPPED if it does not go in after all), its hash.
"""

from __future__ import annotations

from specmodel.engines.native.fields import (
    BUCKETS,
    DONE,
    OUT_LIMIT,
    SHARDS,
    STAGE,
    STATE_MASK,
    STRIDE,
    STUCK,
    TABLE,
)
from specmodel.engines.native.machine.language import i64, lshr, machine, mulhi, ptr, ult
from specmodel.engines.native.sources import GATHERED, offer_sources
from specmodel.engines.native.steps import empty_rows, hash_row
from specmodel.engines.native.stores.packing import (
    AT,
    DIRECTORY,
    END,
    ENTRIES,
    ENTRY_BITS,
    FIRST,
    HIGH,
    LEVEL,
    LEVEL_BITS,
    LOW,
    NEWEST,
    PLACE,
    PLACE_BITS,
    PLACE_MASK,
    PLACE_SHIFT,
    PLACES,
    RANGES,
    SHIFT,
    TAG_SHIFT,
    get_bits,
    get_entry,
    put_entry,
)

W = 1
"""Words a state; the value used is given when this is translated."""

BUCKET = 8
"""Rows of a bucket of a table; the value used goes with the words a state."""

DROPPED = -1
UNREAD = -2

START = (1 << 32) - 1
"""The bits of a range's start."""


@machine
def gather_rows(c: ptr, p: ptr, items: ptr, limit: i64) -> i64:
    """Makes items of the rows whose own bucket is from AT to END, and level from LOW to HIGH.

    AT and END are even. Gives how many, or -1 if there are more than the limit.
    """
    table = ptr(c[TABLE])
    buckets = c[BUCKETS]
    bucket = p[AT]
    passed = 0
    count = 0
    more = True
    while more:
        pair = table + bucket * (BUCKET * W)
        for k in range(2 * BUCKET):
            row = pair + k * W
            level = lshr(row[W - 1], p[TAG_SHIFT]) - 1
            if p[LOW] <= level and level <= p[HIGH]:
                h = hash_row(row, c[STATE_MASK])
                own = mulhi(h * c[SHARDS], buckets)
                if p[AT] <= own and own < p[END]:
                    if count == limit:
                        return -1
                    item = items + count * (W + 2)
                    for w in range(W - 1):
                        item[w] = row[w]
                    item[W - 1] = row[W - 1] & c[STATE_MASK]
                    item[W] = level
                    item[W + 1] = h
                    count += 1
        passed += 2
        bucket += 2
        if bucket == buckets:
            bucket = 0
        # A row is in its own pair of buckets or, when that was full, in the next that was not.
        empty = empty_rows(pair) | empty_rows(pair + BUCKET * W)
        more = passed < buckets and (passed < p[END] - p[AT] or empty == 0)
    return count


@machine
def sort_items(items: ptr, n: i64) -> None:
    """Sorts items by their hashes. They come from a table, so none is far from its place."""
    spare = items + n * (W + 2)
    for i in range(1, n):
        item = items + i * (W + 2)
        h = item[W + 1]
        if ult(h, item[-1]):
            for w in range(W + 2):
                spare[w] = item[w]
            to = i
            while to > 0 and ult(h, items[to * (W + 2) - 1]):
                for w in range(W + 2):
                    items[to * (W + 2) + w] = items[(to - 1) * (W + 2) + w]
                to -= 1
            for w in range(W + 2):
                items[to * (W + 2) + w] = spare[w]


@machine
def range_start(r: ptr, number: i64) -> i64:
    """The entry at which a range starts."""
    return lshr(ptr(r[DIRECTORY])[number >> 1], (number & 1) << 5) & START


@machine
def same_state(r: ptr, at: i64, row: ptr) -> bool:
    """Whether the entry at a place is of a state, whatever its level."""
    position = at * r[ENTRY_BITS] + r[LEVEL_BITS]
    for w in range(W):
        place = r + (PLACES + w * PLACE)
        value = get_bits(ptr(r[ENTRIES]), position, place[PLACE_BITS], place[PLACE_MASK])
        if value != lshr(row[w], place[PLACE_SHIFT]) & place[PLACE_MASK]:
            return False
        position += place[PLACE_BITS]
    return True


@machine
def drop_known(r: ptr, items: ptr, n: i64) -> i64:
    """Drops those of the items that a run has; gives how many."""
    dropped = 0
    for i in range(n):
        item = items + i * (W + 2)
        number = lshr(item[W + 1], r[SHIFT]) - r[FIRST]
        if item[W] >= 0 and number >= 0 and number < r[RANGES]:
            at = range_start(r, number)
            stop = range_start(r, number + 1)
            while at < stop:
                if same_state(r, at, item):
                    item[W] = DROPPED
                    dropped += 1
                    break
                at += 1
    return dropped


@machine
def append_items(r: ptr, entries: ptr, position: i64, items: ptr, n: i64) -> i64:
    """Writes sorted items behind what is in a run, and counts them in its directory.

    `position` is in bits from `entries`; gives that behind the last.
    """
    directory = ptr(r[DIRECTORY])
    for i in range(n):
        item = items + i * (W + 2)
        level = item[W]
        if level >= 0:
            put_entry(r, entries, position, item, level - r[LOW])
            position += r[ENTRY_BITS]
            number = lshr(item[W + 1], r[SHIFT]) - r[FIRST]
            directory[number >> 1] += 1 << ((number & 1) << 5)
            r[END] += 1
            r[NEWEST] += level == r[HIGH]
    return position


@machine
def finish_directory(r: ptr) -> None:
    """Makes starts of the directory's counts."""
    directory = ptr(r[DIRECTORY])
    start = 0
    for i in range(lshr(r[RANGES], 1) + 1):
        counts = directory[i]
        second = start + (counts & START)
        directory[i] = start | (second << 32)
        start = second + lshr(counts, 32)


@machine
def read_head(r: ptr, head: ptr) -> None:
    """Makes an item of the run's entry at AT, or a dropped one at its end."""
    if r[AT] == r[END]:
        head[W] = DROPPED
    else:
        head[W] = get_entry(r, ptr(r[ENTRIES]), r[AT] * r[ENTRY_BITS], head)
        head[W + 1] = hash_row(head, -1)
        r[AT] += 1


@machine
def merge_runs(runs: ptr, k: i64, heads: ptr, items: ptr, limit: i64) -> i64:
    """Makes the next items, in order, of k runs together; gives how many.

    `runs` has their addresses, `heads` an item each, UNREAD before the first call.
    """
    for j in range(k):
        if heads[j * (W + 2) + W] == UNREAD:
            read_head(ptr(runs[j]), heads + j * (W + 2))
    count = 0
    while count < limit:
        least = -1
        least_hash = 0
        for j in range(k):
            head = heads + j * (W + 2)
            if head[W] >= 0 and (least < 0 or ult(head[W + 1], least_hash)):
                least = j
                least_hash = head[W + 1]
        if least < 0:
            break
        head = heads + least * (W + 2)
        for w in range(W + 2):
            items[count * (W + 2) + w] = head[w]
        read_head(ptr(runs[least]), head)
        count += 1
    return count


@machine
def take_level(r: ptr, columns: ptr, stride: i64, limit: i64, row: ptr) -> i64:
    """Copies states at level LEVEL into columns, from entry AT on; gives how many."""
    count = 0
    at = r[AT]
    while at < r[END] and count < limit:
        if get_entry(r, ptr(r[ENTRIES]), at * r[ENTRY_BITS], row) == r[LEVEL]:
            for w in range(W):
                columns[w * stride + count] = row[w]
            count += 1
        at += 1
    r[AT] = at
    return count


@machine
def repack(r: ptr, p: ptr, limit: i64, row: ptr) -> None:
    """Adds entries to a packing for the run's, from AT on, that have its levels, up to a limit."""
    count = p[END]
    at = r[AT]
    while at < r[END] and count < limit:
        level = get_entry(r, ptr(r[ENTRIES]), at * r[ENTRY_BITS], row)
        if p[LOW] <= level and level <= p[HIGH]:
            put_entry(p, ptr(p[ENTRIES]), count * p[ENTRY_BITS], row, level - p[LOW])
            count += 1
        at += 1
    r[AT] = at
    p[END] = count


@machine
def find_sources_in(c: ptr, r: ptr, row: ptr) -> i64:
    """Looks for the least state of a run at level LEVEL that has the target as a successor.

    Ends with DONE or STUCK; what it finds is added to what the shard has found so far.
    """
    while r[AT] < r[END]:
        limit = min(GATHERED, c[OUT_LIMIT])
        if not offer_sources(c, take_level(r, ptr(c[STAGE]), c[STRIDE], limit, row)):
            return STUCK
    return DONE
