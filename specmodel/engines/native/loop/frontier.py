"""The states of a level that remain to be expanded, in machine Python: chunks that workers share.

Each worker has a stack of chunks. It takes shares of its own stack first, and then of the worker
with the most states left. Shares get smaller towards the end, so that all workers finish at about
the same time.
"""

from __future__ import annotations

from specmodel.engines.native.loop import fields
from specmodel.engines.native.loop.fields import ShardWords
from specmodel.engines.native.loop.sending import begin_fresh
from specmodel.engines.native.loop.shared import SharedWords
from specmodel.engines.native.loop.stacks import StackWords, header_of, lock, push, unlock
from specmodel.machine.language import (
    acquire,
    address,
    fetch_add,
    i64,
    machine,
    pointer,
    ptr,
    release,
)

LEAST = 1 << 10
"""At most this number of states are not divided further.

Shares begin at multiples of it, so that blocks are whole.
"""


@machine
def frontier_of(c: ShardWords, worker: i64) -> StackWords:
    """The stack of a worker's chunks."""
    return StackWords(ptr(c.frontiers)[worker])


@machine
def fair(c: ShardWords, rest: i64) -> i64:
    """The greatest size of a share with `rest` states left: a part of the even share of each
    worker.

    A worker that is alone takes whole chunks.
    """
    workers = c.shards
    if workers == 1:
        return rest
    parts = 1
    while parts < 2 * workers:
        rest = rest >> 1
        parts = 2 * parts
    return max(LEAST, rest & -LEAST)


@machine
def take_share(c: ShardWords) -> i64:
    """Makes some states of the level the input; returns 1, or 0 if no worker has any left."""
    while True:
        worker = c.own
        most = acquire(pointer(frontier_of(c, worker).rest))
        own = most
        rest = 0
        for other in range(c.shards):
            here = acquire(pointer(frontier_of(c, other).rest))
            rest += here
            if own == 0 and here > most:
                worker = other
                most = here
        if rest == 0:
            return 0
        stack = frontier_of(c, worker)
        lock(stack)
        top = stack.top
        if top != 0:
            chunk = ptr(top)
            header = header_of(chunk)
            at = header.taken
            n = min(header.held - at, fair(c, rest))
            header.taken = at + n
            if at + n == header.held:
                stack.top = header.next
            release(pointer(stack.rest), stack.rest - n)
            unlock(stack)
            c.input = fields.SHARE
            c.input_chunk = top
            c.input_count = n
            c.in_columns = address(chunk + at)
            c.in_at = 0
            c.in_end = n
            return 1
        unlock(stack)


@machine
def share_done(c: ShardWords) -> None:
    """Called when the states of the input have been expanded.

    A chunk goes back to the pool when all of its states are expanded, by any workers.
    """
    chunk = ptr(c.input_chunk)
    n = c.input_count
    level = SharedWords(c.level)
    fetch_add(pointer(level.left), -n)
    if fetch_add(pointer(header_of(chunk).undone), -n) == n:
        push(StackWords(c.pool), chunk)


@machine
def take_level(c: ShardWords) -> i64:
    """Makes the fresh states the worker's frontier, which replaces the rest of the last one.

    Returns DONE or NO_CHUNK.
    """
    if c.fresh_count > 0 and begin_fresh(c) != fields.DONE:
        return fields.NO_CHUNK
    stack = frontier_of(c, c.own)
    level = SharedWords(c.level)
    fetch_add(pointer(level.left), -c.unread)
    c.unread = 0
    at = stack.top
    while at != 0:
        chunk = ptr(at)
        header = header_of(chunk)
        at = header.next
        fetch_add(pointer(level.left), -header.undone)
        push(StackWords(c.pool), chunk)
    count = 0
    at = c.filled
    while at != 0:
        header = header_of(ptr(at))
        at = header.next
        header.taken = 0
        header.undone = header.held
        count += header.held
    stack.top = c.filled
    stack.rest = count
    c.filled = 0
    fetch_add(pointer(level.left), count)
    fetch_add(pointer(level.total), count)
    return fields.DONE


@machine
def add_unread(c: ShardWords, count: i64) -> None:
    """Adds to the number of the level's states in the worker's sorted runs."""
    level = SharedWords(c.level)
    c.unread = count
    fetch_add(pointer(level.left), count)
    fetch_add(pointer(level.total), count)


@machine
def offer(c: ShardWords, chunk: ptr) -> None:
    """Pushes a chunk of states read from sorted runs on the worker's frontier."""
    stack = frontier_of(c, c.own)
    header = header_of(chunk)
    n = header.held
    c.unread += -n
    header.taken = 0
    header.undone = n
    lock(stack)
    header.next = stack.top
    stack.top = address(chunk)
    release(pointer(stack.rest), stack.rest + n)
    unlock(stack)
