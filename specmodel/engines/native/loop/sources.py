"""The states of a level in rows of a table or run, and the source of a state, in machine Python.

No parents are stored: the predecessors of a state are in the level before, and the kernel finds
those that have the state as a successor.
"""

from __future__ import annotations

from specmodel.engines.native.loop import fields
from specmodel.engines.native.loop.fields import ShardWords
from specmodel.kernel.context import ContextHead
from specmodel.machine.language import (
    call,
    cttz,
    i64,
    lshr,
    machine,
    ptr,
    ult,
)
from specmodel.machine.words import LANES

W = 1
"""Words of a state; the translation replaces this value."""

ROWS_A_STEP = 1 << 20
"""The greatest number of rows scanned in one call."""

GATHERED = 256
"""The number of states that are expanded together in the search for a source."""


@machine
def gather(c: ShardWords, columns: ptr, stride: i64, limit: i64) -> i64:
    """Copies states with the wanted tag into columns, from the scan's place; returns how many."""
    rows = ptr(c.scan)
    at = c.scan_at
    stop = min(c.scan_end, at + ROWS_A_STEP)
    mask = c.state_mask
    tag = c.scan_tag
    count = 0
    while at < stop and count < limit:
        row = rows + at * W
        if row[W - 1] & ~mask == tag:
            for w in range(W - 1):
                columns[w * stride + count] = row[w]
            columns[(W - 1) * stride + count] = row[W - 1] & mask
            count += 1
        at += 1
    c.scan_at = at
    return count


@machine
def take_rows(c: ShardWords, low: i64, high: i64, out: ptr, limit: i64) -> i64:
    """Copies rows of levels from low to high, from the scan's place on; returns their number."""
    rows = ptr(c.scan)
    at = c.scan_at
    shift = cttz(c.tag_step)
    count = 0
    while at < c.scan_end and count < limit:
        row = rows + at * W
        level = lshr(row[W - 1], shift) - 1
        if low <= level and level <= high:
            for w in range(W):
                out[count * W + w] = row[w]
            count += 1
        at += 1
    c.scan_at = at
    return count


@machine
def successors(c: ShardWords, columns: ptr, stride: i64, start: i64, n: i64) -> i64:
    """Writes successors to the out columns, canonical if possible; returns states expanded."""
    context = ContextHead(c.context)
    context.count = 0
    out = ptr(c.out)
    step = c.stride
    limit = c.out_limit
    done = call(c.expand, columns, stride, start, n, out, step, limit, context)
    if c.canon != 0:
        call(c.canon, out, step, context.count, context)
    return done


@machine
def target_among(c: ShardWords) -> bool:
    """Whether the out columns contain the target."""
    out = ptr(c.out)
    stride = c.stride
    target = ptr(c.target)
    n = ContextHead(c.context).count
    for i in range(n):
        difference = 0
        for w in range(W):
            difference |= out[w * stride + i] ^ target[w]
        if difference == 0:
            return True
    return False


@machine
def offer_source(c: ShardWords, source: ptr, stride: i64) -> None:
    """Keeps a source of the target if it is the first or the least, by unsigned words in order."""
    best = ptr(c.best)
    if c.found != 0:
        for w in range(W):
            if source[w * stride] != best[w]:
                if ult(best[w], source[w * stride]):
                    return
                break
    c.found = 1
    for w in range(W):
        best[w] = source[w * stride]


@machine
def search_sources(c: ShardWords, start: i64, n: i64) -> None:
    """Offers each of n states of the stage that has the target as a successor."""
    single = ptr(c.single)
    stride = c.stride
    for i in range(start, start + n):
        source = ptr(c.stage) + i
        for w in range(W):
            single[w * LANES] = source[w * stride]
        successors(c, single, LANES, 0, 1)
        if target_among(c):
            offer_source(c, source, stride)


@machine
def offer_sources(c: ShardWords, n: i64) -> i64:
    """Offers those of the n states of the stage that have the target as a successor.

    Returns DONE or STUCK: the kernel did not expand them, because the out columns are too short.
    """
    at = 0
    while at < n:
        done = successors(c, ptr(c.stage), c.stride, at, n - at)
        if done == 0:
            return fields.STUCK
        if target_among(c):
            search_sources(c, at, done)
        at += done
    return fields.DONE
