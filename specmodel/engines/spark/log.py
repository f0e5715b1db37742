"""The log of a run: its states, a file for each level and shard, in the layout of
`specmodel.space`.

A file is written under another name and then linked to its own. So it exists whole or not at all,
and the first attempt counts. A second attempt makes the same set of states. A level counts once its
record exists, which the driver writes after all shards have their file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from specmodel.engines.native.loop.chunks import Chunk, ChunkPool
from specmodel.space.arrow import batches, row_count
from specmodel.space.files import SHARD_SHIFT, STATES, RunFiles
from specmodel.space.writing import Part


class StateLog:
    """The states of a run by level and shard. The files do not depend on who writes them."""

    def __init__(self, run: Path, words: int) -> None:
        self.files = RunFiles(run)
        self.words = words
        self._names = [f"w{word}" for word in range(words)]

    def path(self, level: int, shard: int) -> Path:
        """The file of a shard's states of a level."""
        return self.files.part(STATES, level, shard)

    def has(self, level: int, shard: int) -> bool:
        """Whether the log has a shard's states of a level."""
        return self.path(level, shard).exists()

    def count(self, level: int, shard: int) -> int:
        """The number of a shard's states of a level. Raises DamagedRun."""
        return row_count(self.path(level, shard))

    def write(self, level: int, shard: int, first: int, chunks: Sequence[Chunk]) -> None:
        """Writes a shard's states of a level, unless they are written already.

        `first` is the number of the first of them in the shard. Raises OSError.
        """
        at = (shard << SHARD_SHIFT) + first
        none = np.empty((self.words, 0), np.uint64)  # the file is there even if there are no states
        with Part(self.path(level, shard), log=True) as part:
            for words in (none, *(chunk.array() for chunk in chunks)):
                ids = np.arange(at, at + words.shape[1], dtype=np.int64)
                part.add({"id": ids, **dict(zip(self._names, words.view(np.int64), strict=True))})
                at += len(ids)

    def read(self, level: int, shard: int, pool: ChunkPool) -> Iterator[Chunk]:
        """A shard's states of a level, in chunks that the caller returns to the pool.

        Raises DamagedRun.
        """
        for held in batches(self.path(level, shard), pool.capacity, self._names):
            chunk = pool.take()
            chunk.count = len(held[self._names[0]])
            for column, name in zip(chunk.array(), self._names, strict=True):
                column[:] = held[name].view(np.uint64)
            yield chunk
