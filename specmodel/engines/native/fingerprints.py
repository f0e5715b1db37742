"""Tables of fingerprints instead of states, in machine Python: a word a state, whatever its size.

A fingerprint is a hash of all of a state's words, never 0: an empty row is 0. Two states with the
same one are taken for one, so the second is omitted. Every bit of a state changes every bit of it
about half of the time, so that states which differ little are no likelier to be confused.
"""

from __future__ import annotations

from specmodel.engines.native import fields
from specmodel.engines.native.machine.language import (
    cttz,
    equal_words,
    i64,
    lshr,
    machine,
    mulhi,
    prefetch,
    ptr,
)
from specmodel.engines.native.probing import following

W = 1
"""Words a state; the value used is given when this is translated."""

LINE = 8
"""Fingerprints of a bucket, which is a cache line."""

SEED = 0x452821E638D01377
FIRST_FACTOR = 0x9FB21C651E98DF25
SECOND_FACTOR = 0xD6E8FEB86659FD93


@machine
def stirred(h: i64) -> i64:
    """A bijection of words in which every bit depends on every bit."""
    h = (h ^ lshr(h, 32)) * SECOND_FACTOR
    h = (h ^ lshr(h, 29)) * FIRST_FACTOR
    h = (h ^ lshr(h, 32)) * SECOND_FACTOR
    return h ^ lshr(h, 32)


@machine
def fingerprint_column(base: ptr, stride: i64, n: i64, hashes: ptr) -> None:
    """The fingerprints of n states."""
    for i in range(n):
        h = SEED
        for w in range(W):
            h = stirred(h ^ base[w * stride + i]) + SEED
        hashes[i] = h + (h == 0)


@machine
def insert_fingerprints(c: ptr) -> i64:
    """Puts the fingerprints of the batch into the table, states that are new into the fresh chunk.

    Ends with DONE, FRESH_FULL or TABLE_FULL.
    """
    batch = ptr(c[fields.BATCH])
    stride = c[fields.BATCH_STRIDE]
    at = c[fields.BATCH_AT]
    end = c[fields.BATCH_END]
    hashes = ptr(c[fields.HASHES])
    table = ptr(c[fields.TABLE])
    buckets = c[fields.BUCKETS]
    shards = c[fields.SHARDS]
    chunk = c[fields.CHUNK]
    fresh = ptr(c[fields.FRESH])
    count = c[fields.FRESH_COUNT]
    count_before = count
    most = count + min(c[fields.MOST] - c[fields.USED], chunk - count)
    status = fields.DONE
    for i in range(at, min(at + fields.AHEAD, end)):
        prefetch(table + mulhi(hashes[i] * shards, buckets) * LINE)
    while at < end:
        if count == most:
            status = fields.FRESH_FULL if count == chunk else fields.TABLE_FULL
            break
        prefetch(table + mulhi(hashes[at + fields.AHEAD] * shards, buckets) * LINE)
        soon = mulhi(hashes[at + fields.SOON] * shards, buckets)
        full = equal_words(table + soon * LINE, 0, -1) == 0
        prefetch(table + (soon ^ full) * LINE)
        h = hashes[at]
        home = mulhi(h * shards, buckets)
        bucket = home
        empty = equal_words(table + bucket * LINE, 0, -1)
        equal = equal_words(table + bucket * LINE, h, -1)
        while empty | equal == 0:
            bucket = following(bucket, home, buckets)
            empty = equal_words(table + bucket * LINE, 0, -1)
            equal = equal_words(table + bucket * LINE, h, -1)
        new = equal == 0
        place = table + bucket * LINE + cttz(empty) if new else ptr(c[fields.SCRATCH])
        place[0] = h
        for w in range(W):
            fresh[w * chunk + count] = batch[w * stride + at]
        count += new
        at += 1
    c[fields.BATCH_AT] = at
    c[fields.FRESH_COUNT] = count
    c[fields.USED] += count - count_before
    return status


@machine
def move_fingerprints(c: ptr, old: ptr, start: i64, stop: i64) -> None:
    """Puts fingerprints from rows of another table into the shard's, which has room for them."""
    table = ptr(c[fields.TABLE])
    for i in range(start, stop):
        h = old[i]
        if h != 0:
            home = mulhi(h * c[fields.SHARDS], c[fields.BUCKETS])
            bucket = home
            empty = equal_words(table + bucket * LINE, 0, -1)
            while empty == 0:
                bucket = following(bucket, home, c[fields.BUCKETS])
                empty = equal_words(table + bucket * LINE, 0, -1)
            table[bucket * LINE + cttz(empty)] = h
