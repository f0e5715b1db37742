"""Toy kernels in machine Python, the same in Python, and a small driver of shards for them."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from specmodel.engines.native.loop.chunks import Chunk
from specmodel.engines.native.loop.core import Functions
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.loop.sizes import Sizes
from specmodel.engines.native.shard import Shard
from specmodel.engines.native.shards import open_shards
from specmodel.kernel.context import NoteWords
from specmodel.machine import objects
from specmodel.machine.language import MASK, call, i64, lshr, machine, ptr
from specmodel.machine.translate import translate

W = 2
NUMBERS = 1 << 10
SPREAD = 0x9E3779B97F4A7C15
TAG_SHIFT = 40
LAST_MASK = (1 << TAG_SHIFT) - 1

CHECKED, SOUGHT, RECORD = 4, 5, 6
"""Where contexts have how many states were checked, the number to note, and the record of that."""


@machine
def successor(number: i64, binding: i64) -> i64:
    """Where a binding leads from a number; -1 where it is not enabled."""
    if binding == 0:
        return (number * 5 + 1) & (NUMBERS - 1)
    if binding == 1:
        return ((number ^ lshr(number, 3)) * 13 + 7) & (NUMBERS - 1)
    if number & 7 > 5:
        return -1
    return (number * 3 + lshr(number, 5)) & (NUMBERS - 1)


@machine
def put(columns: ptr, stride: i64, at: i64, number: i64) -> None:
    """Writes the state of a number: itself in the last word, what follows from it in the others."""
    for w in range(W - 1):
        columns[w * stride + at] = (number + 1) * SPREAD + w
    columns[(W - 1) * stride + at] = number


@machine
def expand(
    base: ptr,
    stride: i64,
    start: i64,
    n: i64,
    out: ptr,
    out_stride: i64,
    out_limit: i64,
    context: ptr,
) -> i64:
    """Successors, in blocks of eight states. Sets the status once, at the number in context[2]."""
    count = context[0]
    done = 0
    while done < n and out_limit - count >= 24:
        width = min(8, n - done)
        for i in range(start + done, start + done + width):
            number = base[(W - 1) * stride + i]
            for binding in range(3):
                following = successor(number, binding)
                if following >= 0:
                    put(out, out_stride, count, following)
                    count += 1
            if number == context[2]:
                context[1] = 1
                context[2] = -1
        done += width
        if context[1] != 0:
            break
    context[0] = count
    return done


@machine
def keep(columns: ptr, stride: i64, n: i64, context: ptr) -> i64:
    """Drops numbers divisible by 5."""
    kept = 0
    for i in range(n):
        number = columns[(W - 1) * stride + i]
        if call(context[3], number, 5) != 0:
            put(columns, stride, kept, number)
            kept += 1
    return kept


@machine
def canon(columns: ptr, stride: i64, n: i64, context: ptr) -> i64:
    """Makes a number and the next, if that is odd, the same."""
    for i in range(n):
        put(columns, stride, i, columns[(W - 1) * stride + i] & ~1)
    return n


@machine
def check(base: ptr, stride: i64, start: i64, n: i64, context: ptr) -> i64:
    """Counts states in context[CHECKED], and sets the record at context[RECORD] at a number."""
    context[CHECKED] += n
    for i in range(start, start + n):
        if base[(W - 1) * stride + i] == context[SOUGHT]:
            NoteWords(context + RECORD).found = 1
    return n


@machine
def remainder(number: i64, by: i64) -> i64:
    """number modulo by, by subtraction."""
    while number >= by:
        number -= by
    return number


def state_of(number: int, words: int) -> tuple[int, ...]:
    """The words of a number's state."""
    return (*(((number + 1) * SPREAD + w) & MASK for w in range(words - 1)), number)


def python_successors(number: int, numbers: int) -> Iterator[int]:
    """What `expand` does, in Python."""
    yield (number * 5 + 1) & (numbers - 1)
    yield ((number ^ number >> 3) * 13 + 7) & (numbers - 1)
    if number & 7 <= 5:
        yield (number * 3 + (number >> 5)) & (numbers - 1)


@dataclass
class Toy:
    """A compiled toy kernel and contexts for it."""

    words: int
    numbers: int
    kept: bool = False
    canonical: bool = False
    contexts: list[ctypes.Array[ctypes.c_int64]] = field(default_factory=list)

    def __post_init__(self) -> None:
        text = translate(
            [expand, keep, canon, check, remainder], {"W": self.words, "NUMBERS": self.numbers}
        )
        self.code = objects.load(objects.host(passes=2), text, lambda: [text])
        address = self.code.address
        self.kernel = Functions(
            address("expand"),
            3,
            address("keep") if self.kept else 0,
            address("canon") if self.canonical else 0,
            address("check"),
        )

    def context(self) -> int:
        """The address of a new context, with no stop wanted."""
        made = (ctypes.c_int64 * (RECORD + NoteWords.words + self.words))()
        made[2], made[3], made[SOUGHT] = -1, self.code.address("remainder"), -1
        self.contexts.append(made)
        return ctypes.addressof(made)

    def open(
        self, count: int, sizes: Sizes | None = None, memory: Memory | None = None
    ) -> list[Shard]:
        """Shards for it."""
        contexts = [self.context() for _ in range(count)]
        return open_shards(self.words, TAG_SHIFT, self.kernel, contexts, memory or Memory(), sizes)

    def bfs(self) -> tuple[list[set[int]], int]:
        """The numbers of each level by plain Python, and how many were generated."""

        def offered(numbers: list[int]) -> set[int]:
            made = (n & ~1 if self.canonical else n for n in numbers)
            return {n for n in made if not self.kept or n % 5}

        levels, seen, generated = [offered([1])], offered([1]), 1
        while levels[-1]:
            following = [s for n in levels[-1] for s in python_successors(n, self.numbers)]
            generated += len(following)
            levels.append(offered(following) - seen)
            seen |= levels[-1]
        return levels[:-1], generated


def explore(
    shards: list[Shard],
    initial: list[tuple[int, ...]],
    stopped: Callable[[int], None] = lambda number: None,
) -> list[int]:
    """Searches to the end, a thread a shard; gives how many states each level has.

    `stopped` is told which shard's kernel has set its status.
    """
    counts: list[int] = []
    levels: list[list[Chunk]] = [[] for _ in shards]
    gate = threading.Barrier(len(shards), timeout=60)
    shards[0].seed(initial)
    shards[0].flush()

    def settle(number: int) -> None:
        """Ends a level: when all is sent, each inserts what came and takes its fresh states."""
        gate.wait()
        shards[number].drain()
        levels[number] = shards[number].take_fresh()
        gate.wait()

    def work(number: int) -> None:
        shard = shards[number]
        level = 0
        settle(number)
        while total := sum(chunk.count for chunks in levels for chunk in chunks):
            if number == 0:
                counts.append(total)
            gate.wait()
            level += 1
            shard.mark(level)
            for chunk in levels[number]:
                shard.drain()
                done = shard.expand(chunk)
                while not done:
                    stopped(number)
                    done = shard.resume()
                shard.pool.give(chunk)
            shard.drain()
            shard.flush()
            settle(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(shards))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts
