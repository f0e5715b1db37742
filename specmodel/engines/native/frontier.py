"""The states that a level has still to expand, for the workers to share."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from specmodel.engines.native.memory import WORD, Chunk, ChunkPool

LEAST = 1 << 10
"""States that are not worth dividing. Shares begin at multiples of it, so that blocks are whole."""


@dataclass(slots=True)
class _Part:
    """A chunk, where the states begin that nobody has taken, and how many are not done yet."""

    chunk: Chunk
    taken: int
    left: int


@dataclass(frozen=True, slots=True)
class Share:
    """Some states of a chunk, for one worker to expand: columns, as in the chunk."""

    part: _Part
    address: int
    count: int


class Frontier:
    """Chunks of states, each worker's own, that all of them take from until there are no more.

    A worker takes its own states first, and then of the one that has most chunks left. Shares get
    smaller towards the end, so that all are done at about the same time.
    """

    def __init__(self, pool: ChunkPool, workers: int) -> None:
        self.left = 0
        """States that have not been done."""
        self._pool = pool
        self._parts: list[list[_Part]] = [[] for _ in range(workers)]
        self._rest = 0
        self._lock = threading.Lock()

    def put(self, worker: int, chunks: Iterable[Chunk]) -> None:
        """Makes these the chunks of a worker, instead of what nobody has taken of those before.

        They go back to the pool when they are done.
        """
        with self._lock:
            for part in self._parts[worker]:
                self._rest -= part.chunk.count - part.taken
                self.left -= part.left
                self._pool.give(part.chunk)
            parts = [_Part(chunk, 0, chunk.count) for chunk in chunks]
            count = sum(part.left for part in parts)
            self._parts[worker] = parts
            self._rest += count
            self.left += count

    def take(self, worker: int) -> Share | None:
        """States for a worker to expand; None if there are no more."""
        with self._lock:
            parts = self._parts[worker] or max(self._parts, key=len)
            if not parts:
                return None
            part, workers = parts[-1], len(self._parts)
            rest = part.chunk.count - part.taken
            fair = rest if workers == 1 else self._rest // (2 * workers) & -LEAST
            count = min(rest, max(LEAST, fair))
            share = Share(part, part.chunk.address + part.taken * WORD, count)
            part.taken += count
            self._rest -= count
            if count == rest:
                parts.pop()
            return share

    def done(self, share: Share) -> None:
        """Takes note that the states of a share have been expanded."""
        with self._lock:
            self.left -= share.count
            share.part.left -= share.count
            if not share.part.left:
                self._pool.give(share.part.chunk)
