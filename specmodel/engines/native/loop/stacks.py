"""Stacks of chunks that threads share, in machine Python.

A chunk is known by the address of its columns, and a stack is linked through the words before them.
Chunks are pushed and popped every few thousand states, so that a lock that is waited for awake does
no harm.
"""

from __future__ import annotations

from specmodel.machine.language import (
    Structure,
    Words,
    acquire,
    address,
    exchange,
    i64,
    machine,
    pause,
    pointer,
    ptr,
    release,
)


class StackWords(Structure):
    """A stack, which has a cache line or two of its own."""

    lock: i64
    top: i64
    size: i64
    rest: i64
    """States in it that nobody has taken, where it is a frontier: see `frontier`."""


class Header(Structure):
    """The cache line before the columns of a chunk."""

    spare: Words = Words(4)
    undone: i64
    """States of the chunk that have not been expanded yet, where it is part of a frontier."""
    taken: i64
    """Those that workers have taken, from the first on, likewise."""
    held: i64
    """States in the chunk."""
    next: i64
    """The chunk below in a stack or list; 0 for none."""


@machine
def header_of(chunk: ptr) -> Header:
    """What is known of a chunk."""
    return Header(chunk + -Header.words)


@machine
def lock(stack: StackWords) -> None:
    """Waits until no other thread is busy with a stack."""
    while exchange(pointer(stack.lock), 1) != 0:
        pause()


@machine
def unlock(stack: StackWords) -> None:
    """Lets others have a stack."""
    release(pointer(stack.lock), 0)


@machine
def push(stack: StackWords, chunk: ptr) -> None:
    """Puts a chunk on top."""
    lock(stack)
    header_of(chunk).next = stack.top
    release(pointer(stack.top), address(chunk))
    stack.size += 1
    unlock(stack)


@machine
def pop(stack: StackWords) -> i64:
    """Takes the chunk on top; 0 if there is none."""
    if acquire(pointer(stack.top)) == 0:
        return 0
    lock(stack)
    top = stack.top
    if top != 0:
        release(pointer(stack.top), header_of(ptr(top)).next)
        stack.size += -1
    unlock(stack)
    return top
