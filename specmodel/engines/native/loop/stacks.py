"""Stacks of chunks that threads share, in machine Python.

A chunk is known by the address of its columns, and a stack is linked through the words before them.
Chunks are pushed and popped every few thousand states, so that a lock that is waited for awake does
no harm.
"""

from __future__ import annotations

from specmodel.machine.language import (
    acquire,
    address,
    exchange,
    i64,
    machine,
    pause,
    ptr,
    release,
)

# Where things are in a stack, which has a cache line or two of its own.
LOCK = 0
TOP = 1
SIZE = 2
REST = 3
"""States in it that nobody has taken, where it is a frontier: see `frontier`."""
STACK = 16
"""Words of a stack."""

# Where things are before the columns of a chunk.
HEADER = 8
"""Words of it, a cache line."""
NEXT = -1
"""The chunk below in a stack or list; 0 for none."""
HELD = -2
"""States in the chunk."""
TAKEN = -3
"""Those that workers have taken, from the first on, where it is part of a frontier."""
UNDONE = -4
"""Those that have not been expanded yet, likewise."""


@machine
def lock(stack: ptr) -> None:
    """Waits until no other thread is busy with a stack."""
    while exchange(stack + LOCK, 1) != 0:
        pause()


@machine
def unlock(stack: ptr) -> None:
    """Lets others have a stack."""
    release(stack + LOCK, 0)


@machine
def push(stack: ptr, chunk: ptr) -> None:
    """Puts a chunk on top."""
    lock(stack)
    chunk[NEXT] = stack[TOP]
    release(stack + TOP, address(chunk))
    stack[SIZE] += 1
    unlock(stack)


@machine
def pop(stack: ptr) -> i64:
    """Takes the chunk on top; 0 if there is none."""
    if acquire(stack + TOP) == 0:
        return 0
    lock(stack)
    top = stack[TOP]
    if top != 0:
        chunk = ptr(top)
        release(stack + TOP, chunk[NEXT])
        stack[SIZE] += -1
    unlock(stack)
    return top
