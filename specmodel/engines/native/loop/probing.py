"""The order in which buckets of a table are searched for a key, in machine Python."""

from __future__ import annotations

from specmodel.machine.language import i64, machine, ptr


@machine
def following(bucket: i64, home: i64, buckets: i64) -> i64:
    """The bucket to search after a full one, in a table of an even number of buckets, from `home`
    on.

    The other bucket of the same pair comes first, then those of the next pair. So a key that is not
    in a pair is in a later one only if both buckets of the pair are full. One bit tells the second
    bucket, so it can be fetched ahead, too.
    """
    bucket ^= 1
    if (bucket ^ home) & 1 == 0:
        bucket += 2
        if bucket >= buckets:
            bucket -= buckets
    return bucket


@machine
def slot_of(table: ptr, slots: i64, width: i64, key: i64) -> ptr:
    """The row of a small table whose first word is the key, or the empty row for the key.

    Rows have `width` words. The number of rows is a power of two, and at least one is empty.
    """
    at = key & (slots - 1)
    while table[at * width] != 0 and table[at * width] != key:
        at = (at + 1) & (slots - 1)
    return table + at * width
