"""Where a key is looked for in a table, in machine Python."""

from __future__ import annotations

from specmodel.machine.language import i64, machine, ptr


@machine
def following(bucket: i64, home: i64, buckets: i64) -> i64:
    """The bucket to look into after one that is full: of an even number, and from `home` on.

    The other of the same pair comes first, then those of the next pair. So what was looked for in a
    pair and not found there is in a later one, and that only if both buckets of the pair are full.
    And it takes one bit to say which the second is: that can be asked for ahead, too.
    """
    bucket ^= 1
    if (bucket ^ home) & 1 == 0:
        bucket += 2
        if bucket >= buckets:
            bucket -= buckets
    return bucket


@machine
def slot_of(table: ptr, slots: i64, width: i64, key: i64) -> ptr:
    """The row of a small table whose first word is a key, or the empty one where it would go.

    Rows have so many words; there are a power of two of them, and never all are taken.
    """
    at = key & (slots - 1)
    while table[at * width] != 0 and table[at * width] != key:
        at = (at + 1) & (slots - 1)
    return table + at * width
