"""Stacks of chunks that threads share, in machine Python.

The address of its columns identifies a chunk, and the words before the columns link a stack. Each
thread pushes or pops once in a few thousand states, so a spin lock is enough.
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
    """A stack, in a cache line or two of its own."""

    lock: i64
    top: i64
    size: i64
    rest: i64
    """The states that no worker has taken yet, if the stack is a frontier: see `frontier`."""


class Header(Structure):
    """The cache line before the columns of a chunk."""

    spare: Words = Words(4)
    undone: i64
    """The number of states of the chunk that are not expanded yet, if it is part of a frontier."""
    taken: i64
    """The number of states that workers have taken, from the first on, if the stack is a
    frontier."""
    held: i64
    """The number of states in the chunk."""
    next: i64
    """The chunk below in a stack or list; 0 for none."""


@machine
def header_of(chunk: ptr) -> Header:
    """The header of a chunk."""
    return Header(chunk + -Header.words)


@machine
def lock(stack: StackWords) -> None:
    """Waits until no other thread uses the stack, and takes the lock."""
    while exchange(pointer(stack.lock), 1) != 0:
        pause()


@machine
def unlock(stack: StackWords) -> None:
    """Releases the lock."""
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
