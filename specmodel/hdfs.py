"""HDFS as a file system of fsspec, by hdfs-native, which needs no Java.

The import of this module makes it the one for URLs that begin with hdfs://.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import shutil
import uuid
from pathlib import Path
from typing import Any

from hdfs_native.fsspec import HdfsFileSystem

SENDS = 8
"""Attempts to send a file while data nodes are away."""

AWAY = re.compile(r"os error (104|110|111|113)\b|Failed to complete file in time")
"""What is said of a data node that is away: connections reset, timed out or refused, and no route.
After half a minute, that too few data nodes have the last block.
"""


class _Reading(io.RawIOBase):
    """A file that is read, with `readinto`, which that of hdfs-native lacks."""

    def __init__(self, below: Any) -> None:
        self._below = below

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        piece = self._below.read(len(view))
        view[: len(piece)] = piece
        return len(piece)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._below.seek(offset, whence)
        return self.tell()

    def tell(self) -> int:
        return int(self._below.tell())


_KEPT: list[HdfsFileSystem] = []
"""fsspec drops its file systems in a process that is forked: the end of one there would wait for
threads that only the first process has."""


class HdfsStore(HdfsFileSystem):
    """HDFS, where a file that is put is there whole or not at all, as in object storage."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)  # pyright: ignore[reportUnknownMemberType]
        _KEPT.append(self)

    def put_file(self, lpath: str, rpath: str, mode: str = "overwrite", **named: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Writes a file under another name, and then gives it its own.

        Raises FileExistsError if that is there and the mode is "create".
        """
        path = str(self._strip_protocol(rpath))
        part = self._sent(lpath, path)
        try:
            self.client.rename(part, path, mode != "create")
        except BaseException:
            self._drop(part)
            raise

    def _sent(self, lpath: str, path: str, attempts: int = SENDS) -> str:
        """Writes a file under another name, which is returned.

        The library gives up if a data node is away, which the name node may propose for ten minutes
        more: another attempt is given other data nodes.
        """
        folder, _, name = path.rpartition("/")
        part = f"{folder}/.{name}.{uuid.uuid4().hex}.part"
        try:
            with Path(lpath).open("rb") as source, self._open(part, "wb") as sent:
                shutil.copyfileobj(source, sent, self.blocksize)
        except BaseException as wrong:
            self._drop(part)
            if attempts == 1 or not AWAY.search(str(wrong)):
                raise
            return self._sent(lpath, path, attempts - 1)
        return part

    def _drop(self, part: str) -> None:
        with contextlib.suppress(OSError):
            self.rm_file(part)

    def _open(self, path: str, mode: str = "rb", **named: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        below: Any = super()._open(path, mode, **named)  # pyright: ignore[reportUnknownMemberType]
        return io.BufferedReader(_Reading(below), self.blocksize) if mode == "rb" else below


_registry: Any = importlib.import_module("fsspec.registry")
_registry.register_implementation("hdfs", HdfsStore, clobber=True)
