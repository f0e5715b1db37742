"""The states that a level has still to expand, in machine Python: chunks for workers to share.

Each worker has a stack of chunks. It takes shares of its own first, and then of the worker that has
most left. Shares get smaller towards the end, so that all are done at about the same time.
"""

from __future__ import annotations

from specmodel.engines.native.fields import (
    DONE,
    FILLED,
    FRESH_COUNT,
    FRONTIERS,
    IN,
    IN_AT,
    IN_END,
    INPUT,
    INPUT_CHUNK,
    INPUT_COUNT,
    LEVEL,
    NO_CHUNK,
    OWN,
    POOL,
    SHARDS,
    SHARE,
)
from specmodel.engines.native.machine.language import (
    acquire,
    address,
    fetch_add,
    i64,
    machine,
    ptr,
    release,
)
from specmodel.engines.native.sending import begin_fresh
from specmodel.engines.native.shared import LEFT, TOTAL
from specmodel.engines.native.stacks import (
    HELD,
    NEXT,
    REST,
    TAKEN,
    TOP,
    UNDONE,
    lock,
    push,
    unlock,
)

LEAST = 1 << 10
"""States that are not worth dividing. Shares begin at multiples of it, so that blocks are whole."""


@machine
def frontier_of(c: ptr, worker: i64) -> ptr:
    """The stack of a worker's chunks."""
    return ptr(ptr(c[FRONTIERS])[worker])


@machine
def fair(c: ptr, rest: i64) -> i64:
    """How many states a share has, at most, when so many are left: a part of what each could have.

    A worker that is alone takes whole chunks.
    """
    workers = c[SHARDS]
    if workers == 1:
        return rest
    parts = 1
    while parts < 2 * workers:
        rest = rest >> 1
        parts = 2 * parts
    return max(LEAST, rest & -LEAST)


@machine
def take_share(c: ptr) -> i64:
    """Makes some states of the level the input; gives 1, or 0 if nobody has any left."""
    while True:
        worker = c[OWN]
        most = acquire(frontier_of(c, worker) + REST)
        own = most
        rest = 0
        for other in range(c[SHARDS]):
            here = acquire(frontier_of(c, other) + REST)
            rest += here
            if own == 0 and here > most:
                worker = other
                most = here
        if rest == 0:
            return 0
        stack = frontier_of(c, worker)
        lock(stack)
        top = stack[TOP]
        if top != 0:
            chunk = ptr(top)
            at = chunk[TAKEN]
            n = min(chunk[HELD] - at, fair(c, rest))
            chunk[TAKEN] = at + n
            if at + n == chunk[HELD]:
                stack[TOP] = chunk[NEXT]
            release(stack + REST, stack[REST] - n)
            unlock(stack)
            c[INPUT] = SHARE
            c[INPUT_CHUNK] = top
            c[INPUT_COUNT] = n
            c[IN] = address(chunk + at)
            c[IN_AT] = 0
            c[IN_END] = n
            return 1
        unlock(stack)


@machine
def share_done(c: ptr) -> None:
    """Takes note that the states of the input have been expanded.

    A chunk goes back to the pool when all of it is done, by whomever.
    """
    chunk = ptr(c[INPUT_CHUNK])
    n = c[INPUT_COUNT]
    level = ptr(c[LEVEL])
    fetch_add(level + LEFT, -n)
    if fetch_add(chunk + UNDONE, -n) == n:
        push(ptr(c[POOL]), chunk)


@machine
def take_level(c: ptr) -> i64:
    """Makes the fresh states the worker's frontier, instead of what nobody has taken of the last.

    Ends with DONE or NO_CHUNK.
    """
    if c[FRESH_COUNT] > 0 and begin_fresh(c) != DONE:
        return NO_CHUNK
    stack = frontier_of(c, c[OWN])
    level = ptr(c[LEVEL])
    at = stack[TOP]
    while at != 0:
        chunk = ptr(at)
        at = chunk[NEXT]
        fetch_add(level + LEFT, -chunk[UNDONE])
        push(ptr(c[POOL]), chunk)
    count = 0
    at = c[FILLED]
    while at != 0:
        chunk = ptr(at)
        at = chunk[NEXT]
        chunk[TAKEN] = 0
        chunk[UNDONE] = chunk[HELD]
        count += chunk[HELD]
    stack[TOP] = c[FILLED]
    stack[REST] = count
    c[FILLED] = 0
    fetch_add(level + LEFT, count)
    fetch_add(level + TOTAL, count)
    return DONE
