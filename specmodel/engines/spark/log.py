"""The log of a run: its states, a file for each level and shard, where `specmodel.space` has them.

A file is written under another name and linked to its own: it is there whole or not at all, and the
first attempt at it counts. Who makes one twice makes the same set. A level counts once its record
is there, which the driver writes after all shards have their file.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from specmodel.engines.native.chunks import Chunk, ChunkPool
from specmodel.engines.native.memory import WORD
from specmodel.space.files import SHARD_SHIFT, STATES, DamagedRun, RunFiles

ROWS_A_GROUP = 1 << 20


class StateLog:
    """The states of a run by level and shard. Files are the same whoever writes them."""

    def __init__(self, run: Path, words: int) -> None:
        self.files = RunFiles(run)
        self.words = words

    def path(self, level: int, shard: int) -> Path:
        """The file of a shard's states of a level."""
        return self.files.part(STATES, level, shard)

    def has(self, level: int, shard: int) -> bool:
        """Whether it is known what a shard has at a level."""
        return self.path(level, shard).exists()

    def count(self, level: int, shard: int) -> int:
        """How many states a shard has at a level. Raises DamagedRun."""
        return self._opened(self.path(level, shard)).metadata.num_rows

    def write(self, level: int, shard: int, first: int, chunks: Sequence[Chunk]) -> None:
        """Writes a shard's states of a level, unless that has been done.

        `first` is the number of the first of them in the shard. Raises OSError.
        """
        arrow, parquet = _arrow(), _parquet()
        total = sum(chunk.count for chunk in chunks)
        base = (shard << SHARD_SHIFT) + first
        columns = [arrow.array(_numpy().arange(base, base + total, dtype="int64"))]
        for word in range(self.words):
            parts = [_column(arrow, chunk, word) for chunk in chunks]
            columns.append(arrow.chunked_array(parts, arrow.int64()))
        table = arrow.table(columns, ["id", *(f"w{word}" for word in range(self.words))])
        path = self.path(level, shard)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
        try:
            parquet.write_table(
                table,
                part,
                row_group_size=ROWS_A_GROUP,
                compression="none",
                use_dictionary=False,
                write_statistics=False,
                column_encoding={"id": "DELTA_BINARY_PACKED"},
            )
            with contextlib.suppress(FileExistsError):
                os.link(part, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                part.unlink()

    def read(self, level: int, shard: int, pool: ChunkPool) -> Iterator[Chunk]:
        """A shard's states of a level, in chunks that the caller gives back. Raises DamagedRun."""
        path = self.path(level, shard)
        names = [f"w{word}" for word in range(self.words)]
        try:
            for batch in self._opened(path).iter_batches(pool.capacity, columns=names):
                chunk = pool.take()
                step = chunk.capacity * WORD
                for word in range(self.words):
                    buffer = batch.column(word).buffers()[1]
                    start = buffer.address + batch.column(word).offset * WORD
                    ctypes.memmove(chunk.address + word * step, start, batch.num_rows * WORD)
                chunk.count = batch.num_rows
                yield chunk
        except _parquet_errors() as wrong:
            raise DamagedRun(f"{path} cannot be read: {wrong}") from None

    def _opened(self, path: Path) -> Any:
        try:
            return _parquet().ParquetFile(path)
        except _parquet_errors() as wrong:
            raise DamagedRun(f"{path} cannot be read: {wrong}") from None


def _column(arrow: Any, chunk: Chunk, word: int) -> Any:
    address = chunk.address + word * chunk.capacity * WORD
    buffer = arrow.foreign_buffer(address, chunk.count * WORD, chunk)
    return arrow.Array.from_buffers(arrow.int64(), chunk.count, [None, buffer])


def _arrow() -> Any:
    return importlib.import_module("pyarrow")


def _numpy() -> Any:
    return importlib.import_module("numpy")


def _parquet() -> Any:
    return importlib.import_module("pyarrow.parquet")


def _parquet_errors() -> tuple[type[BaseException], ...]:
    return (_arrow().ArrowException, OSError)
