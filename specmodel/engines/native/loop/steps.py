"""The search core, in machine Python: what a shard does with states.

Python owns the structure of a shard (`fields`), which contains all state of a step. So every step
can be stopped and continued. States come in columns (word w of entry i at w * stride + i) and are
kept in the table as rows of W words. The top bits of the last word hold a tag, never 0, which is
the level at which the state was found. A zero last word is an empty slot.

A state's hash is read as a fraction of 2**64: shard `floor(fraction * shards)` owns the state, and
the rest of the fraction is its place in the shard's table. So a larger table has its states in the
same order, and growing a table is one pass over both tables.
"""

from __future__ import annotations

from specmodel.engines.native.loop import fields
from specmodel.engines.native.loop.fields import ShardWords
from specmodel.engines.native.loop.fingerprints import fingerprint_column
from specmodel.engines.native.loop.hashing import SEED, finished, mixed
from specmodel.engines.native.loop.probing import following
from specmodel.engines.native.loop.sending import begin_fresh, route, route_eights, send_full
from specmodel.kernel.context import ContextHead
from specmodel.machine.language import (
    address,
    call,
    ctpop,
    cttz,
    equal_words,
    i64,
    lshr,
    machine,
    mulhi,
    prefetch,
    ptr,
)
from specmodel.machine.words import LANES

W = 1
"""Words of a state; the translation replaces this value."""

BUCKET: i64 = 8
"""Rows of a bucket, which are compared together: a cache line.

The value depends on the words of a state.
"""

ROWS: i64 = 0xFF
"""The first words of a bucket's rows, as bits; the value depends on the words of a state."""

R = 1
"""Words of a table row: those of a state, unless it holds a fingerprint."""

FINGERPRINTS = 0
"""1 if the table holds fingerprints instead of states."""

KEY = 1
"""The first words of a state, which tell it from others: all, unless some fields are no part of
that."""


@machine
def hash_state(state: ptr, stride: i64) -> i64:
    """The hash of a state in columns, which are `stride` words apart."""
    h = SEED
    for w in range(KEY):
        h = mixed(h, state[w * stride])
    return finished(h)


@machine
def hash_column(base: ptr, stride: i64, n: i64, hashes: ptr) -> None:
    """The hashes of n states, which give their places in tables."""
    if FINGERPRINTS:
        fingerprint_column(base, stride, n, hashes)
        return
    for i in range(n):
        hashes[i] = hash_state(base + i, stride)


@machine
def hash_row(row: ptr, mask: i64) -> i64:
    """The hash of the state or fingerprint in a row of a table."""
    if FINGERPRINTS:
        return row[0]
    h = SEED
    for w in range(min(KEY, R - 1)):
        h = mixed(h, row[w])
    if KEY < W:
        return finished(h)
    return finished(mixed(h, row[R - 1] & mask))


@machine
def prefetch_bucket(bucket: ptr) -> None:
    """Fetches the cache lines of a bucket: one if a row has 1, 2, 4 or 8 words, else up to two."""
    prefetch(bucket)
    if R & (R - 1) != 0:
        prefetch(bucket + (BUCKET * R - 1))


@machine
def empty_rows(bucket: ptr) -> i64:
    """The empty rows of the bucket, as bits, each at the row's first word."""
    if BUCKET == 1:
        return bucket[R - 1] == 0
    return lshr(equal_words(bucket, 0, -1), R - 1) & ROWS


@machine
def equal_rows(bucket: ptr, last_word: i64, mask: i64, key: ptr, stride: i64) -> i64:
    """The rows of a bucket that hold a key, or the empty rows if the key is zero, as bits likewise.

    The last word of the key is given, and compared in the bits of a mask.
    """
    if KEY < W:
        mask = 0
    if BUCKET == 1:
        difference = (bucket[R - 1] ^ last_word) & mask
        for w in range(min(KEY, R - 1)):
            difference |= bucket[w] ^ key[w * stride]
        return difference == 0
    equal = lshr(equal_words(bucket, last_word, mask), R - 1) & ROWS
    for w in range(min(KEY, R - 1)):
        equal &= lshr(equal_words(bucket, key[w * stride], -1), w)
    return equal


@machine
def insert_batch(c: ShardWords) -> i64:
    """Puts the states of the batch (hashes known) into the table, new ones into the fresh chunk.

    The code compares all rows of a bucket, and writes a state that is not new to an unused place:
    neither of the two outcomes can be predicted, and doing both costs less than a mispredicted
    branch. Returns DONE, FRESH_FULL or TABLE_FULL.
    """
    batch = ptr(c.batch)
    stride = c.batch_stride
    at = c.batch_at
    end = c.batch_end
    hashes = ptr(c.hashes)
    table = ptr(c.table)
    buckets = c.buckets
    shards = c.shards
    keys = hashes if FINGERPRINTS else batch
    tag = 0 if FINGERPRINTS else c.tag
    mask = -1 if FINGERPRINTS else c.state_mask
    chunk = c.chunk
    fresh = ptr(c.fresh)
    nowhere = ptr(c.scratch)
    count = c.fresh_count
    count_before = count
    most = count + min(c.most - c.used, chunk - count)
    status = fields.DONE
    for i in range(at, min(at + fields.AHEAD, end)):
        prefetch_bucket(table + mulhi(hashes[i] * shards, buckets) * (BUCKET * R))
    while at < end:
        if count == most:
            status = fields.FRESH_FULL if count == chunk else fields.TABLE_FULL
            break
        # AHEAD old hashes follow the batch's own: they fetch useless cache lines, which does no
        # harm.
        ahead = hashes[at + fields.AHEAD]
        prefetch_bucket(table + mulhi(ahead * shards, buckets) * (BUCKET * R))
        soon = mulhi(hashes[at + fields.SOON] * shards, buckets)
        full = empty_rows(table + soon * (BUCKET * R)) == 0
        prefetch_bucket(table + (soon ^ full) * (BUCKET * R))
        home = mulhi(hashes[at] * shards, buckets)
        bucket = home
        last_word = keys[(R - 1) * stride + at]
        row = table + bucket * (BUCKET * R)
        empty = empty_rows(row)
        equal = equal_rows(row, last_word, mask, keys + at, stride)
        while empty | equal == 0:
            bucket = following(bucket, home, buckets)
            row = table + bucket * (BUCKET * R)
            empty = empty_rows(row)
            equal = equal_rows(row, last_word, mask, keys + at, stride)
        new = equal & ~empty == 0
        place = row + cttz(empty) if new else nowhere
        for w in range(W):
            word = batch[w * stride + at]
            fresh[w * chunk + count] = word
            if w < R - 1:
                place[w] = word
        place[R - 1] = last_word | tag
        count += new
        at += 1
    c.batch_at = at
    c.fresh_count = count
    c.used += count - count_before
    return status


@machine
def find_row(
    table: ptr, buckets: i64, home: i64, last_word: i64, mask: i64, key: ptr, stride: i64
) -> ptr:
    """The row that holds a key, or the empty row for it, searched from its home bucket on."""
    bucket = home
    row = table + bucket * (BUCKET * R)
    empty = empty_rows(row)
    equal = equal_rows(row, last_word, mask, key, stride)
    while empty | equal == 0:
        bucket = following(bucket, home, buckets)
        row = table + bucket * (BUCKET * R)
        empty = empty_rows(row)
        equal = equal_rows(row, last_word, mask, key, stride)
    held = equal & ~empty
    return row + cttz(held if held != 0 else empty)


@machine
def take_batch(c: ShardWords, n: i64) -> None:
    """Makes the shard's own among n states of the out columns the batch; routes the others."""
    hash_column(ptr(c.out), c.stride, n, ptr(c.hashes))
    c.batch = c.out
    c.batch_stride = c.stride
    c.batch_at = 0
    c.batch_end = n
    shards = c.shards
    if shards > 1 or c.own > 0:
        even = shards > 1 and shards <= LANES and ctpop(shards) == 1
        c.batch_end = route_eights(c, n) if even else route(c, n)
        c.batch = c.stage


@machine
def insert_all(c: ShardWords) -> i64:
    """Puts the rest of the batch into the table. Returns DONE, TABLE_FULL or NO_CHUNK."""
    while c.batch_at < c.batch_end:
        status = insert_batch(c)
        if status == fields.FRESH_FULL:
            status = begin_fresh(c)
        if status != fields.DONE:
            return status
    return fields.DONE


@machine
def expand_chunk(c: ShardWords) -> i64:
    """Expands the rest of the input and inserts or routes every successor.

    Returns DONE, TABLE_FULL, NO_CHUNK, KERNEL (which set its status) or STUCK (the out columns are
    too short for a block). It continues when it is called again.
    """
    context = ContextHead(c.context)
    while True:
        status = insert_all(c)
        if status != fields.DONE:
            return status
        at = c.in_at
        left = c.in_end - at
        if left <= 0:
            return fields.DONE
        if send_full(c) != fields.DONE:
            return fields.NO_CHUNK
        out = ptr(c.out)
        stride = c.stride
        context.count = 0
        states = ptr(c.in_columns)
        limit = c.out_limit
        done = call(c.expand, states, c.chunk, at, left, out, stride, limit, context)
        n = context.count
        c.in_at = at + done
        c.generated += n
        if c.canon != 0:
            # First, so that findings are of the canonical form.
            call(c.canon, out, stride, n, context)
        if c.keep != 0:
            n = call(c.keep, out, stride, n, context)
        take_batch(c, n)
        if context.status != 0:
            return fields.KERNEL
        if done == 0:
            return fields.STUCK


@machine
def insert_chunk(c: ShardWords) -> i64:
    """Inserts the rest of the input, whose states are all the shard's own.

    Returns DONE, TABLE_FULL or NO_CHUNK. It continues when it is called again.
    """
    while True:
        status = insert_all(c)
        if status != fields.DONE:
            return status
        at = c.in_at
        n = min(c.in_end - at, c.out_limit)
        if n <= 0:
            return fields.DONE
        batch = ptr(c.in_columns) + at
        hash_column(batch, c.chunk, n, ptr(c.hashes))
        c.batch = address(batch)
        c.batch_stride = c.chunk
        c.batch_at = 0
        c.batch_end = n
        c.in_at = at + n


@machine
def copy_states(
    base: ptr,
    stride: i64,
    start: i64,
    n: i64,
    out: ptr,
    out_stride: i64,
    out_limit: i64,
    context: ContextHead,
) -> i64:
    """A kernel in which each state is its only successor: initial states go the way of others."""
    count = context.count
    n = min(n, out_limit - count)
    for i in range(n):
        for w in range(W):
            out[w * out_stride + count + i] = base[w * stride + start + i]
    context.count = count + n
    return n


@machine
def free_row(table: ptr, buckets: i64, home: i64, most: i64) -> ptr:
    """The first row without a state from a bucket on; 0 if `most` buckets have none."""
    bucket = home
    row = table + bucket * (BUCKET * R)
    empty = empty_rows(row)
    while empty == 0:
        if most == 0:
            return ptr(0)
        most += -1
        bucket = following(bucket, home, buckets)
        row = table + bucket * (BUCKET * R)
        empty = empty_rows(row)
    return row + cttz(empty)


@machine
def rehash(c: ShardWords, old: ptr, start: i64, stop: i64) -> None:
    """Moves states from slots of another table into the shard's table, which has room for them.

    A whole block is hashed before any of it is placed: mispredicted branches then cost no hash, and
    the written cache lines are fetched ahead.
    """
    table = ptr(c.table)
    buckets = c.buckets
    shards = c.shards
    mask = c.state_mask
    slots = ptr(c.scratch)
    sources = slots + fields.BLOCK
    while start < stop:
        count = 0
        for i in range(start, min(start + fields.BLOCK, stop)):
            row = old + i * R
            slot = mulhi(hash_row(row, mask) * shards, buckets)
            prefetch_bucket(table + slot * (BUCKET * R))
            slots[count] = slot
            sources[count] = i
            count += row[R - 1] != 0
        start += fields.BLOCK
        for k in range(count):
            row = free_row(table, buckets, slots[k], buckets)
            for w in range(R):
                row[w] = old[sources[k] * R + w]
