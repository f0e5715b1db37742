"""Sending found states to their shards, in machine Python: own chunks, and outboxes.

Full chunks are passed on, and new ones come from the pool. If the pool has none left, Python adds
one.
"""

from __future__ import annotations

from specmodel.engines.native.loop import fields
from specmodel.engines.native.loop.fields import Route, ShardWords
from specmodel.engines.native.loop.sampling import SamplerWords, sample
from specmodel.engines.native.loop.stacks import StackWords, header_of, pop, push
from specmodel.machine.language import (
    address,
    call,
    compress,
    ctpop,
    cttz,
    equal_words,
    i64,
    lshr,
    machine,
    mulhi,
    ptr,
)
from specmodel.machine.words import LANES

W = 1
"""Words of a state; the translation replaces this value."""


@machine
def check_states(c: ShardWords, states: ptr, start: i64, n: i64) -> None:
    """Checks n new states of the level in a chunk's columns, if a kernel does; samples them."""
    stride = c.chunk
    if c.check != 0:
        call(c.check, states, stride, start, n, ptr(c.context))
    if c.sample != 0:
        level = lshr(c.tag, cttz(c.tag_step)) - 1
        sample(SamplerWords(c.sample), states, stride, start, n, level)


@machine
def check_fresh(c: ShardWords) -> None:
    """Checks and samples the states added to the fresh chunk since the last call.

    It checks nothing while fresh states go into sorted runs: these states may not be new.
    """
    checked = c.checked
    if c.in_runs == 0:
        check_states(c, ptr(c.fresh), checked, c.fresh_count - checked)
    c.checked = c.fresh_count


@machine
def begin_fresh(c: ShardWords) -> i64:
    """Adds the fresh chunk, all checked, to the filled ones, and begins another.

    While fresh states go into sorted runs, it begins the same chunk again. Returns DONE or
    NO_CHUNK.
    """
    check_fresh(c)
    if c.in_runs == 0:
        following = pop(StackWords(c.pool))
        if following == 0:
            return fields.NO_CHUNK
        filled = ptr(c.fresh)
        header = header_of(filled)
        header.held = c.fresh_count
        header.next = c.filled
        c.filled = address(filled)
        c.fresh = following
    c.fresh_count = 0
    c.checked = 0
    return fields.DONE


@machine
def route(c: ShardWords, n: i64) -> i64:
    """Routes n states of the out columns (hashes known) to their shards; returns how many are the
    shard's own.

    The shard's own states and their hashes go to the stage, without a branch on the hash. Every
    outbox must have room for LANES more states.
    """
    out = ptr(c.out)
    stride = c.stride
    hashes = ptr(c.hashes)
    shards = c.shards
    own = c.own
    routes = ptr(c.routes)
    Route(routes + own * Route.words).count = 0
    kept = 0
    for i in range(n):
        h = hashes[i]
        shard = mulhi(h, shards)
        to = Route(routes + shard * Route.words)
        columns = ptr(to.columns)
        count = to.count
        step = to.stride
        for w in range(W):
            columns[w * step + count] = out[w * stride + i]
        to.count = count + 1
        hashes[kept] = h
        kept += shard == own
    return kept


@machine
def route_eights(c: ShardWords, n: i64) -> i64:
    """As `route`, eight states at a time, for 2, 4 or 8 shards.

    Then the first bits of a hash are the number of its shard, and one comparison finds the states
    of the eight that belong to a shard.
    """
    out = ptr(c.out)
    stride = c.stride
    hashes = ptr(c.hashes)
    shards = c.shards
    routes = ptr(c.routes)
    own = c.own
    shift = 64 - cttz(shards)
    Route(routes + own * Route.words).count = 0
    kept = 0
    for i in range(0, n, LANES):
        valid = (1 << min(n - i, LANES)) - 1
        for shard in range(shards):
            to = Route(routes + shard * Route.words)
            columns = ptr(to.columns)
            count = to.count
            step = to.stride
            bits = equal_words(hashes + i, shard << shift, -1 << shift) & valid
            for w in range(W):
                compress(columns + (w * step + count), out + (w * stride + i), bits)
            to.count = count + ctpop(bits)
        if own < shards:  # otherwise the shard owns none of the states
            bits = equal_words(hashes + i, own << shift, -1 << shift) & valid
            compress(hashes + kept, hashes + i, bits)
            kept += ctpop(bits)
    return kept


@machine
def send(c: ShardWords, shard: i64) -> i64:
    """Sends an outbox, and begins another. Returns DONE or NO_CHUNK."""
    following = pop(StackWords(c.pool))
    if following == 0:
        return fields.NO_CHUNK
    to = Route(ptr(c.routes) + shard * Route.words)
    outbox = ptr(to.columns)
    header_of(outbox).held = to.count
    push(StackWords(ptr(c.inboxes)[shard]), outbox)
    to.columns = following
    to.count = 0
    return fields.DONE


@machine
def send_above(c: ShardWords, most: i64) -> i64:
    """Sends all outboxes with more than `most` states. Returns DONE or NO_CHUNK."""
    routes = ptr(c.routes)
    for shard in range(c.shards):
        count = Route(routes + shard * Route.words).count
        if shard != c.own and count > most and send(c, shard) != fields.DONE:
            return fields.NO_CHUNK
    return fields.DONE


@machine
def send_full(c: ShardWords) -> i64:
    """Sends outboxes that might have no room for a batch. Returns DONE or NO_CHUNK."""
    return send_above(c, c.chunk - c.out_limit - LANES)


@machine
def flush(c: ShardWords) -> i64:
    """Sends all outboxes with states. Returns DONE or NO_CHUNK."""
    return send_above(c, 0)
