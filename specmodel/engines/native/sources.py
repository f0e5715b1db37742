"""The states of a level in a shard's table, and where a state came from, in machine Python.

No parents are stored: the predecessors of a state are in the level before, and the kernel says
which of those have it as a successor.
"""

from __future__ import annotations

from specmodel.engines.native.fields import (
    BEST,
    CANON,
    CAPACITY,
    CONTEXT,
    COUNT,
    DONE,
    EXPAND,
    FOUND,
    LANES,
    MORE,
    OUT,
    OUT_LIMIT,
    SCAN_AT,
    SCAN_TAG,
    SINGLE,
    STAGE,
    STATE_MASK,
    STRIDE,
    STUCK,
    TABLE,
    TARGET,
)
from specmodel.engines.native.machine.language import (
    call,
    i64,
    machine,
    ptr,
    ult,
)

W = 1
"""Words a state; the value used is given when this is translated."""

SLOTS_A_STEP = 1 << 20
GATHERED = 256


@machine
def gather(c: ptr, columns: ptr, stride: i64, limit: i64) -> i64:
    """Copies states with the tag sought into columns, from the scan's place on; gives how many."""
    table = ptr(c[TABLE])
    slot = c[SCAN_AT]
    stop = min(c[CAPACITY], slot + SLOTS_A_STEP)
    mask = c[STATE_MASK]
    tag = c[SCAN_TAG]
    count = 0
    while slot < stop and count < limit:
        row = table + slot * W
        if row[W - 1] & ~mask == tag:
            for w in range(W - 1):
                columns[w * stride + count] = row[w]
            columns[(W - 1) * stride + count] = row[W - 1] & mask
            count += 1
        slot += 1
    c[SCAN_AT] = slot
    return count


@machine
def collect(c: ptr) -> i64:
    """Copies states with the tag sought to the stage and notes how many. DONE: no more slots."""
    c[FOUND] = gather(c, ptr(c[STAGE]), c[STRIDE], c[OUT_LIMIT])
    return DONE if c[SCAN_AT] == c[CAPACITY] else MORE


@machine
def successors(c: ptr, columns: ptr, stride: i64, start: i64, n: i64) -> i64:
    """Writes successors to the out columns, canonical if that can be done; gives states done."""
    context = ptr(c[CONTEXT])
    context[COUNT] = 0
    done = call(c[EXPAND], columns, stride, start, n, ptr(c[OUT]), c[STRIDE], c[OUT_LIMIT], context)
    if c[CANON] != 0:
        call(c[CANON], ptr(c[OUT]), c[STRIDE], context[COUNT], context)
    return done


@machine
def target_among(c: ptr) -> bool:
    """Whether the out columns have the target in them."""
    out = ptr(c[OUT])
    stride = c[STRIDE]
    target = ptr(c[TARGET])
    n = ptr(c[CONTEXT])[COUNT]
    for i in range(n):
        difference = 0
        for w in range(W):
            difference |= out[w * stride + i] ^ target[w]
        if difference == 0:
            return True
    return False


@machine
def offer_source(c: ptr, source: ptr, stride: i64) -> None:
    """Keeps a source of the target if it is the first or least, by unsigned words in order."""
    best = ptr(c[BEST])
    if c[FOUND] != 0:
        for w in range(W):
            if source[w * stride] != best[w]:
                if ult(best[w], source[w * stride]):
                    return
                break
    c[FOUND] = 1
    for w in range(W):
        best[w] = source[w * stride]


@machine
def search_sources(c: ptr, start: i64, n: i64) -> None:
    """Offers each of n states of the stage that has the target as a successor."""
    single = ptr(c[SINGLE])
    stride = c[STRIDE]
    for i in range(start, start + n):
        source = ptr(c[STAGE]) + i
        for w in range(W):
            single[w * LANES] = source[w * stride]
        successors(c, single, LANES, 0, 1)
        if target_among(c):
            offer_source(c, source, stride)


@machine
def offer_sources(c: ptr, n: i64) -> bool:
    """Offers those of the n states of the stage that have the target as a successor.

    False: the kernel did not expand them, as the out columns are too short.
    """
    at = 0
    while at < n:
        done = successors(c, ptr(c[STAGE]), c[STRIDE], at, n - at)
        if done == 0:
            return False
        if target_among(c):
            search_sources(c, at, done)
        at += done
    return True


@machine
def offer_stage(c: ptr, n: i64) -> i64:
    """Offers those of the n states of the stage that have the target as a successor: DONE.

    Or STUCK, as below.
    """
    return DONE if offer_sources(c, n) else STUCK


@machine
def find_sources(c: ptr) -> i64:
    """Looks for the least state with the tag sought that has the target as a successor.

    Ends with DONE at the end of the table, MORE after a bounded number of slots, or STUCK.
    """
    stop = c[SCAN_AT] + SLOTS_A_STEP
    stage = ptr(c[STAGE])
    while c[SCAN_AT] < min(stop, c[CAPACITY]):
        if not offer_sources(c, gather(c, stage, c[STRIDE], min(GATHERED, c[OUT_LIMIT]))):
            return STUCK
    return DONE if c[SCAN_AT] == c[CAPACITY] else MORE
