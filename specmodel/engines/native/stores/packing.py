"""States packed to the bit, in machine Python: out of a shard's table, and back into one.

An entry is a state's level, then the bits of its words that the layout uses, and nothing else;
entries follow each other without a gap, the first bit of all being the lowest of the first word. A
packing is a struct of 64-bit words whose fields are numbered below; Python owns it, and each step
goes on where the struct says the last one stopped.
"""

from __future__ import annotations

from specmodel.engines.native.fields import (
    BUCKETS,
    CAPACITY,
    CHUNK,
    DONE,
    FRESH,
    FRESH_COUNT,
    FRESH_FULL,
    MOST,
    OWN,
    SHARDS,
    SINGLE,
    STATE_MASK,
    TABLE,
    TABLE_FULL,
    USED,
)
from specmodel.engines.native.machine.language import cttz, i64, lshr, machine, mulhi, ptr
from specmodel.engines.native.probing import following
from specmodel.engines.native.steps import empty_rows, hash_row

W = 1
"""Words a state; the value used is given when this is translated."""

BUCKET: i64 = 8
"""Rows of a bucket of a table; the value used goes with the words a state."""

# Where each field of a packing is.
ENTRIES = 0
AT = 1
END = 2
LOW = 3
HIGH = 4
LEVEL = 5
TAG_SHIFT = 6
LEVEL_BITS = 7
LEVEL_MASK = 8
ENTRY_BITS = 9
GROUPS = 10
GROUP_NUMBER = 11
GROUP_STEP = 12
DIRECTORY = 13
SHIFT = 14
FIRST = 15
RANGES = 16
NEWEST = 17
PLACES = 18

GROUP = 64
"""Entries that are adopted one after the other."""

FAR = 1 << 12
"""Buckets that are looked into for a free row, at most: of tables filled evenly all have one in the
next few hundred."""

# A place: where the bits of a word lie that are used.
PLACE = 3
PLACE_SHIFT = 0
PLACE_BITS = 1
PLACE_MASK = 2


@machine
def put_bits(entries: ptr, position: i64, bits: i64, value: i64) -> None:
    """Writes a value of so many bits; whatever lies behind it is lost."""
    at = entries + lshr(position, 6)
    offset = position & 63
    if offset == 0:
        at[0] = value
    else:
        at[0] |= value << offset
    if offset + bits > 64:
        at[1] = lshr(value, 64 - offset)


@machine
def get_bits(entries: ptr, position: i64, bits: i64, mask: i64) -> i64:
    """Reads a value of so many bits, of which the mask has as many."""
    at = entries + lshr(position, 6)
    offset = position & 63
    value = lshr(at[0], offset)
    if offset + bits > 64:
        value |= at[1] << (64 - offset)
    return value & mask


@machine
def put_entry(p: ptr, entries: ptr, position: i64, row: ptr, level: i64) -> None:
    """Writes an entry, its level counted from the lowest of the packing."""
    put_bits(entries, position, p[LEVEL_BITS], level)
    position += p[LEVEL_BITS]
    for w in range(W):
        place = p + (PLACES + w * PLACE)
        value = lshr(row[w], place[PLACE_SHIFT]) & place[PLACE_MASK]
        put_bits(entries, position, place[PLACE_BITS], value)
        position += place[PLACE_BITS]


@machine
def get_entry(p: ptr, entries: ptr, position: i64, row: ptr) -> i64:
    """Reads the words of an entry into a row without a tag; gives its level."""
    level = get_bits(entries, position, p[LEVEL_BITS], p[LEVEL_MASK])
    position += p[LEVEL_BITS]
    for w in range(W):
        place = p + (PLACES + w * PLACE)
        value = get_bits(entries, position, place[PLACE_BITS], place[PLACE_MASK])
        row[w] = value << place[PLACE_SHIFT]
        position += place[PLACE_BITS]
    return level + p[LOW]


@machine
def pack_rows(c: ptr, p: ptr) -> i64:
    """Writes entries for states of a shard's table whose level is from LOW to HIGH.

    Looks at slots from AT on, until there is no more or END entries are written; gives how many.
    """
    table = ptr(c[TABLE])
    capacity = c[CAPACITY]
    entries = ptr(p[ENTRIES])
    size = p[ENTRY_BITS]
    low = p[LOW]
    high = p[HIGH]
    shift = p[TAG_SHIFT]
    slot = p[AT]
    count = 0
    while slot < capacity and count < p[END]:
        row = table + slot * W
        level = lshr(row[W - 1], shift) - 1
        if low <= level and level <= high:
            put_entry(p, entries, count * size, row, level - low)
            count += 1
        slot += 1
    p[AT] = slot
    return count


@machine
def adopt_entries(c: ptr, p: ptr) -> i64:
    """Puts those of the entries from AT to END that are the shard's own into its table.

    None of them is there yet. Those at level LEVEL go into the fresh chunk as well. Entries are
    taken in groups of GROUP, each GROUP_STEP groups after the one before: see `Packing.adopt`.
    A file may have all of its entries in one part of the table, so that is full where no free row
    is near. Ends with DONE, FRESH_FULL or TABLE_FULL.
    """
    entries = ptr(p[ENTRIES])
    size = p[ENTRY_BITS]
    row = ptr(c[SINGLE])
    table = ptr(c[TABLE])
    buckets = c[BUCKETS]
    at = p[AT]
    status = DONE
    while at < p[END]:
        if c[USED] >= c[MOST]:
            status = TABLE_FULL
            break
        if c[FRESH_COUNT] == c[CHUNK]:
            status = FRESH_FULL
            break
        number = at
        if at < p[GROUPS] * GROUP:
            number = p[GROUP_NUMBER] * GROUP + (at & (GROUP - 1))
        level = get_entry(p, entries, number * size, row)
        h = hash_row(row, c[STATE_MASK])
        if mulhi(h, c[SHARDS]) == c[OWN]:
            home = mulhi(h * c[SHARDS], buckets)
            bucket = home
            left = FAR
            empty = empty_rows(table + bucket * (BUCKET * W))
            while empty == 0 and left > 0:
                bucket = following(bucket, home, buckets)
                empty = empty_rows(table + bucket * (BUCKET * W))
                left += -1
            if empty == 0:
                status = TABLE_FULL
                break
            place = table + bucket * (BUCKET * W) + cttz(empty)
            for w in range(W - 1):
                place[w] = row[w]
            place[W - 1] = row[W - 1] | ((level + 1) << p[TAG_SHIFT])
            c[USED] += 1
            if level == p[LEVEL]:
                fresh = ptr(c[FRESH]) + c[FRESH_COUNT]
                for w in range(W):
                    fresh[w * c[CHUNK]] = row[w]
                c[FRESH_COUNT] += 1
        at += 1
        if at & (GROUP - 1) == 0:
            p[GROUP_NUMBER] += p[GROUP_STEP]
            if p[GROUP_NUMBER] >= p[GROUPS]:
                p[GROUP_NUMBER] -= p[GROUPS]
    p[AT] = at
    return status
