"""Where a shard puts the states it finds, in machine Python: fresh chunks, and chunks for others.

Full chunks go on, and new ones are taken from the pool. Where that has none left, Python adds one.
"""

from __future__ import annotations

from specmodel.engines.native.fields import (
    CHECK,
    CHECKED,
    CHUNK,
    CONTEXT,
    DONE,
    FILLED,
    FRESH,
    FRESH_COUNT,
    HASHES,
    IN_RUNS,
    INBOXES,
    LANES,
    NO_CHUNK,
    OUT,
    OUT_LIMIT,
    OWN,
    POOL,
    ROUTE,
    ROUTE_COUNT,
    ROUTE_STRIDE,
    ROUTES,
    SAMPLE,
    SHARDS,
    STRIDE,
    TAG,
    TAG_STEP,
)
from specmodel.engines.native.machine.language import (
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
from specmodel.engines.native.sampling import sample
from specmodel.engines.native.stacks import HELD, NEXT, pop, push

W = 1
"""Words a state; the value used is given when this is translated."""


@machine
def check_fresh(c: ptr) -> None:
    """Checks what has been added to the fresh chunk since the last time, and samples it.

    Nothing is checked without a kernel that does, nor while fresh states go into runs: these may
    not be new.
    """
    checked = c[CHECKED]
    n = c[FRESH_COUNT] - checked
    if c[CHECK] != 0 and c[IN_RUNS] == 0:
        call(c[CHECK], ptr(c[FRESH]), c[CHUNK], checked, n, ptr(c[CONTEXT]))
    if c[SAMPLE] != 0 and c[IN_RUNS] == 0:
        level = lshr(c[TAG], cttz(c[TAG_STEP])) - 1
        sample(ptr(c[SAMPLE]), ptr(c[FRESH]), c[CHUNK], checked, n, level)
    c[CHECKED] = c[FRESH_COUNT]


@machine
def begin_fresh(c: ptr) -> i64:
    """Adds the fresh chunk to those that are filled, all checked, and begins another.

    While fresh states go into runs, it begins the same one again. Ends with DONE or NO_CHUNK.
    """
    check_fresh(c)
    if c[IN_RUNS] == 0:
        following = pop(ptr(c[POOL]))
        if following == 0:
            return NO_CHUNK
        filled = ptr(c[FRESH])
        filled[HELD] = c[FRESH_COUNT]
        filled[NEXT] = c[FILLED]
        c[FILLED] = address(filled)
        c[FRESH] = following
    c[FRESH_COUNT] = 0
    c[CHECKED] = 0
    return DONE


@machine
def route(c: ptr, n: i64) -> i64:
    """Sends n states of the out columns (hashes known) on; gives how many are the shard's own.

    Those and their hashes are moved to the stage, without a jump that depends on the hash. Every
    outbox has room, and for LANES states more.
    """
    out = ptr(c[OUT])
    stride = c[STRIDE]
    hashes = ptr(c[HASHES])
    shards = c[SHARDS]
    own = c[OWN]
    routes = ptr(c[ROUTES])
    routes[own * ROUTE + ROUTE_COUNT] = 0
    kept = 0
    for i in range(n):
        h = hashes[i]
        shard = mulhi(h, shards)
        to = routes + shard * ROUTE
        columns = ptr(to[0])
        count = to[ROUTE_COUNT]
        step = to[ROUTE_STRIDE]
        for w in range(W):
            columns[w * step + count] = out[w * stride + i]
        to[ROUTE_COUNT] = count + 1
        hashes[kept] = h
        kept += shard == own
    return kept


@machine
def route_eights(c: ptr, n: i64) -> i64:
    """The same eight states at a time, where there are 2, 4 or 8 shards.

    Then the first bits of a hash are the number of its shard, and one comparison finds those of the
    eight that belong to a shard.
    """
    out = ptr(c[OUT])
    stride = c[STRIDE]
    hashes = ptr(c[HASHES])
    shards = c[SHARDS]
    routes = ptr(c[ROUTES])
    own = c[OWN]
    shift = 64 - cttz(shards)
    routes[own * ROUTE + ROUTE_COUNT] = 0
    kept = 0
    for i in range(0, n, LANES):
        valid = (1 << min(n - i, LANES)) - 1
        for shard in range(shards):
            to = routes + shard * ROUTE
            columns = ptr(to[0])
            count = to[ROUTE_COUNT]
            step = to[ROUTE_STRIDE]
            bits = equal_words(hashes + i, shard << shift, -1 << shift) & valid
            for w in range(W):
                compress(columns + (w * step + count), out + (w * stride + i), bits)
            to[ROUTE_COUNT] = count + ctpop(bits)
        if own < shards:  # or else it has none of the states
            bits = equal_words(hashes + i, own << shift, -1 << shift) & valid
            compress(hashes + kept, hashes + i, bits)
            kept += ctpop(bits)
    return kept


@machine
def send(c: ptr, shard: i64) -> i64:
    """Sends an outbox off, and begins another. Ends with DONE or NO_CHUNK."""
    following = pop(ptr(c[POOL]))
    if following == 0:
        return NO_CHUNK
    to = ptr(c[ROUTES]) + shard * ROUTE
    outbox = ptr(to[0])
    outbox[HELD] = to[ROUTE_COUNT]
    push(ptr(ptr(c[INBOXES])[shard]), outbox)
    to[0] = following
    to[ROUTE_COUNT] = 0
    return DONE


@machine
def send_above(c: ptr, most: i64) -> i64:
    """Sends off all outboxes with more states than so many. Ends with DONE or NO_CHUNK."""
    routes = ptr(c[ROUTES])
    for shard in range(c[SHARDS]):
        count = routes[shard * ROUTE + ROUTE_COUNT]
        if shard != c[OWN] and count > most and send(c, shard) != DONE:
            return NO_CHUNK
    return DONE


@machine
def send_full(c: ptr) -> i64:
    """Sends off outboxes that might have no room for a batch. Ends with DONE or NO_CHUNK."""
    return send_above(c, c[CHUNK] - c[OUT_LIMIT] - LANES)


@machine
def flush(c: ptr) -> i64:
    """Sends off what is in the outboxes. Ends with DONE or NO_CHUNK."""
    return send_above(c, 0)
