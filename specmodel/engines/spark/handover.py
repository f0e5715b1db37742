"""What tasks of one machine hand to each other in files, while Spark's shuffle carries its places.

Spark copies what it carries some ten times, between Python, Java and the disk. A task writes what
it sends to one file, which it overwrites at the next level: used pages of the system's cache cost
less than new ones.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import SpecmodelError

LEAST = 256
"""Bytes from which an item is worth a place in a file."""


@dataclass
class Handed:
    """Items for one shard in a file that begins with `mark`: (offset, bytes, whether it is pickled)
    of each.
    """

    file: Path
    mark: bytes
    places: list[tuple[int, int, bool]] = field(default_factory=list[tuple[int, int, bool]])

    def read(self) -> Iterator[Any]:
        """The items. Raises OSError, and SpecmodelError if the file was overwritten."""
        with self.file.open("rb", buffering=0) as file:
            for offset, size, pickled in self.places:
                content = os.pread(file.fileno(), size, offset)
                if os.pread(file.fileno(), len(self.mark), 0) != self.mark or len(content) != size:
                    raise SpecmodelError(f"{self.file} was overwritten while it was read")
                yield pickle.loads(content) if pickled else content


def hand_over(path: Path, sent: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Writes items with their shards to a file; returns what each shard is to read, after the items
    that are small.

    A task that Spark has given up may still be writing to the file: this one waits for it.

    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o600)
    mark, found = uuid.uuid4().bytes, dict[int, Handed]()
    with path.open("rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        at = file.write(mark)
        file.flush()  # who reads the level before is to see it first
        for shard, item in sent:
            pickled = not isinstance(item, bytes)
            content = pickle.dumps(item, pickle.HIGHEST_PROTOCOL) if pickled else item
            if len(content) < LEAST:
                yield shard, item
                continue
            file.write(content)
            found.setdefault(shard, Handed(path, mark)).places.append((at, len(content), pickled))
            at += len(content)
    yield from found.items()
