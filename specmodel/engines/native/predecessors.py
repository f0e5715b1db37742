"""The least predecessor of a state.

States compare as unsigned words, the first word first. With a canonical form, successors are
compared in this form.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

from specmodel.engines.native.loop import fields, sources
from specmodel.engines.native.loop.chunks import Chunk
from specmodel.engines.native.shard import Shard
from specmodel.machine.words import WORD

Words = tuple[int, ...]


def predecessor(shard: Shard, target: Sequence[int], level: int, context: int) -> Words | None:
    """The least state of a shard's level that has `target` as a successor; None if none has.

    `context` is the address of a kernel context, which is written to. This reads the whole table.
    Several shards may be searched at once.
    """
    most = min(sources.GATHERED, shard.struct.out_limit)
    with _seeking(shard, target, context) as best:
        for count in shard.gathered(level, most):
            _offer(shard, count)
    return tuple(best) if shard.struct.found else None


def least_source(
    shard: Shard, target: Sequence[int], chunks: Iterable[Chunk], context: int
) -> Words | None:
    """The same among the states of chunks, which are returned to the pool."""
    c, words = shard.struct, shard.core.words
    stride, room = c.stride, min(fields.BLOCK, c.out_limit)
    with _seeking(shard, target, context) as best:
        for chunk in chunks:
            for at in range(0, chunk.count, room):
                n = min(room, chunk.count - at)
                for w in range(words):
                    place = chunk.address + (w * chunk.capacity + at) * WORD
                    ctypes.memmove(c.stage + w * stride * WORD, place, n * WORD)
                _offer(shard, n)
            shard.pool.give(chunk)
    return tuple(best) if c.found else None


def _offer(shard: Shard, count: int) -> None:
    """Offers `count` states of the shard's stage as sources."""
    if shard.core.code[sources.offer_sources](shard.address, count) != fields.DONE:
        raise RuntimeError("a kernel did not expand a block that had room")


@contextmanager
def _seeking(
    shard: Shard, target: Sequence[int], context: int
) -> Generator[ctypes.Array[ctypes.c_uint64]]:
    """The context in which the core notes the least state that has a target as a successor.

    While the context manager is open, the core works with a context.
    """
    c, kind = shard.struct, ctypes.c_uint64 * shard.core.words
    kind.from_address(c.target)[:] = list(target)
    before, c.context, c.found = c.context, context, 0
    try:
        yield kind.from_address(c.best)
    finally:
        c.context = before
