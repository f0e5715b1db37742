"""States that tasks of one machine hand to each other in files, while Spark's shuffle carries only
their places.

Spark copies what it carries some ten times, between Python, Java and the disk. A task writes the
states that it sends to one file, which it overwrites at the next level: used pages of the system's
cache cost less than new ones.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from specmodel.errors import SpecmodelError


@dataclass
class Handed:
    """States for one shard: (offset, bytes) of each piece in a file that begins with `mark`."""

    file: Path
    mark: bytes
    pieces: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def read(self) -> Iterator[bytes]:
        """The pieces. Raises OSError, and SpecmodelError if the file was overwritten."""
        with self.file.open("rb", buffering=0) as file:
            for offset, size in self.pieces:
                piece = os.pread(file.fileno(), size, offset)
                if os.pread(file.fileno(), len(self.mark), 0) != self.mark or len(piece) != size:
                    raise SpecmodelError(f"{self.file} was overwritten while it was read")
                yield piece


def hand_over(path: Path, sent: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, Handed]]:
    """Writes states with their shards to a file; returns what each shard is to read.

    A task that Spark has given up may still be writing to the file: this one waits for it.

    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    mark, found = uuid.uuid4().bytes, dict[int, Handed]()
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "rb+", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        at = file.write(mark)
        for shard, some in sent:
            _write(file.fileno(), some)
            found.setdefault(shard, Handed(path, mark)).pieces.append((at, len(some)))
            at += len(some)
    yield from found.items()


def _write(handle: int, content: bytes) -> None:
    """Writes all of it: the system may write a part before the disk is full."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]
