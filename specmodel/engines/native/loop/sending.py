"""Where a shard puts the states it finds, in machine Python: fresh chunks, and chunks for others.

Full chunks go on, and new ones are taken from the pool. Where that has none left, Python adds one.
"""

from __future__ import annotations

from specmodel.engines.native.loop import fields, stacks
from specmodel.engines.native.loop.sampling import sample
from specmodel.engines.native.loop.stacks import pop, push
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

W = 1
"""Words a state; the value used is given when this is translated."""


@machine
def check_states(c: ptr, states: ptr, start: i64, n: i64) -> None:
    """Checks n new states of the level in a chunk's columns, if a kernel does, and samples them."""
    stride = c[fields.CHUNK]
    if c[fields.CHECK] != 0:
        call(c[fields.CHECK], states, stride, start, n, ptr(c[fields.CONTEXT]))
    if c[fields.SAMPLE] != 0:
        level = lshr(c[fields.TAG], cttz(c[fields.TAG_STEP])) - 1
        sample(ptr(c[fields.SAMPLE]), states, stride, start, n, level)


@machine
def check_fresh(c: ptr) -> None:
    """Checks what has been added to the fresh chunk since the last time, and samples it.

    Nothing is checked while fresh states go into runs: these may not be new.
    """
    checked = c[fields.CHECKED]
    if c[fields.IN_RUNS] == 0:
        check_states(c, ptr(c[fields.FRESH]), checked, c[fields.FRESH_COUNT] - checked)
    c[fields.CHECKED] = c[fields.FRESH_COUNT]


@machine
def begin_fresh(c: ptr) -> i64:
    """Adds the fresh chunk to those that are filled, all checked, and begins another.

    While fresh states go into runs, it begins the same one again. Ends with DONE or NO_CHUNK.
    """
    check_fresh(c)
    if c[fields.IN_RUNS] == 0:
        following = pop(ptr(c[fields.POOL]))
        if following == 0:
            return fields.NO_CHUNK
        filled = ptr(c[fields.FRESH])
        filled[stacks.HELD] = c[fields.FRESH_COUNT]
        filled[stacks.NEXT] = c[fields.FILLED]
        c[fields.FILLED] = address(filled)
        c[fields.FRESH] = following
    c[fields.FRESH_COUNT] = 0
    c[fields.CHECKED] = 0
    return fields.DONE


@machine
def route(c: ptr, n: i64) -> i64:
    """Sends n states of the out columns (hashes known) on; gives how many are the shard's own.

    Those and their hashes are moved to the stage, without a jump that depends on the hash. Every
    outbox has room, and for LANES states more.
    """
    out = ptr(c[fields.OUT])
    stride = c[fields.STRIDE]
    hashes = ptr(c[fields.HASHES])
    shards = c[fields.SHARDS]
    own = c[fields.OWN]
    routes = ptr(c[fields.ROUTES])
    routes[own * fields.ROUTE + fields.ROUTE_COUNT] = 0
    kept = 0
    for i in range(n):
        h = hashes[i]
        shard = mulhi(h, shards)
        to = routes + shard * fields.ROUTE
        columns = ptr(to[0])
        count = to[fields.ROUTE_COUNT]
        step = to[fields.ROUTE_STRIDE]
        for w in range(W):
            columns[w * step + count] = out[w * stride + i]
        to[fields.ROUTE_COUNT] = count + 1
        hashes[kept] = h
        kept += shard == own
    return kept


@machine
def route_eights(c: ptr, n: i64) -> i64:
    """The same eight states at a time, where there are 2, 4 or 8 shards.

    Then the first bits of a hash are the number of its shard, and one comparison finds those of the
    eight that belong to a shard.
    """
    out = ptr(c[fields.OUT])
    stride = c[fields.STRIDE]
    hashes = ptr(c[fields.HASHES])
    shards = c[fields.SHARDS]
    routes = ptr(c[fields.ROUTES])
    own = c[fields.OWN]
    shift = 64 - cttz(shards)
    routes[own * fields.ROUTE + fields.ROUTE_COUNT] = 0
    kept = 0
    for i in range(0, n, fields.LANES):
        valid = (1 << min(n - i, fields.LANES)) - 1
        for shard in range(shards):
            to = routes + shard * fields.ROUTE
            columns = ptr(to[0])
            count = to[fields.ROUTE_COUNT]
            step = to[fields.ROUTE_STRIDE]
            bits = equal_words(hashes + i, shard << shift, -1 << shift) & valid
            for w in range(W):
                compress(columns + (w * step + count), out + (w * stride + i), bits)
            to[fields.ROUTE_COUNT] = count + ctpop(bits)
        if own < shards:  # or else it has none of the states
            bits = equal_words(hashes + i, own << shift, -1 << shift) & valid
            compress(hashes + kept, hashes + i, bits)
            kept += ctpop(bits)
    return kept


@machine
def send(c: ptr, shard: i64) -> i64:
    """Sends an outbox off, and begins another. Ends with DONE or NO_CHUNK."""
    following = pop(ptr(c[fields.POOL]))
    if following == 0:
        return fields.NO_CHUNK
    to = ptr(c[fields.ROUTES]) + shard * fields.ROUTE
    outbox = ptr(to[0])
    outbox[stacks.HELD] = to[fields.ROUTE_COUNT]
    push(ptr(ptr(c[fields.INBOXES])[shard]), outbox)
    to[0] = following
    to[fields.ROUTE_COUNT] = 0
    return fields.DONE


@machine
def send_above(c: ptr, most: i64) -> i64:
    """Sends off all outboxes with more states than so many. Ends with DONE or NO_CHUNK."""
    routes = ptr(c[fields.ROUTES])
    for shard in range(c[fields.SHARDS]):
        count = routes[shard * fields.ROUTE + fields.ROUTE_COUNT]
        if shard != c[fields.OWN] and count > most and send(c, shard) != fields.DONE:
            return fields.NO_CHUNK
    return fields.DONE


@machine
def send_full(c: ptr) -> i64:
    """Sends off outboxes that might have no room for a batch. Ends with DONE or NO_CHUNK."""
    return send_above(c, c[fields.CHUNK] - c[fields.OUT_LIMIT] - fields.LANES)


@machine
def flush(c: ptr) -> i64:
    """Sends off what is in the outboxes. Ends with DONE or NO_CHUNK."""
    return send_above(c, 0)
