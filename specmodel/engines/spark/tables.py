"""The table of a shard in a file of the machine: a cache for all of its processes.

A file has a page of notes and the rows of the table. The notes say how many rows there are, of
which levels, and whether the last writer finished. If it did not, the table is made anew from the
log. Locks are the system's: they end with the process that holds them.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from specmodel.engines.native.loop.memory import Region

MAGIC = 0x73706563_00000003
"""The low half is the version of the order of rows."""
PAGE = 4096

_MAGIC, _CLEAN, _LEVEL, _ROWS = range(4)


class TableFile:
    """The file of one shard's table on this machine. One process at a time holds its lock."""

    def __init__(self, folder: Path, number: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"shard-{number:05}.table"
        self._growing = folder / f"shard-{number:05}.table.part"
        self._lock = folder / f"shard-{number:05}.lock"
        self._notes: ctypes.Array[ctypes.c_int64] | None = None
        self._map: mmap.mmap | None = None
        self._inode = 0
        self._unsealed = False

    @contextmanager
    def locked(self) -> Generator[None]:
        """Holds the lock. Raises OSError."""
        with self._lock.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def region(self, size: int, counted: int | None = None) -> Region:
        """A new table, all zero, in a file that replaces the old one when it is sealed.

        Raises OSError if the disk has no room for it, so that later writes cannot fail.
        """
        with contextlib.suppress(FileNotFoundError):
            self._growing.unlink()
        with self._growing.open("xb+") as file:
            os.posix_fallocate(file.fileno(), 0, PAGE + size)
            self._unsealed = True
            return self._mapped(file.fileno(), size)

    def current(self) -> tuple[Region | None, int, int] | None:
        """The table as it was last sealed: (its memory, levels it has, rows); None if it is not
        sealed. Without memory, it is the table that is mapped here already.
        """
        try:
            with self.path.open("rb+") as file:
                status = os.fstat(file.fileno())
                new = None
                if status.st_ino != self._inode or self._notes is None:
                    new = self._mapped(file.fileno(), status.st_size - PAGE)
        except (OSError, ValueError):
            return None
        notes = self._notes
        self._unsealed = False
        if notes is None or notes[_MAGIC] != MAGIC or not notes[_CLEAN]:
            return None
        return new, notes[_LEVEL] + 1, notes[_ROWS]

    def open(self) -> None:
        """Notes that the table is being written: it counts only when it is sealed again."""
        if self._notes is not None:
            self._notes[_CLEAN] = 0

    def seal(self, levels: int, rows: int) -> None:
        """Notes that the table has all states of the first `levels` levels."""
        assert self._notes is not None
        self._notes[_LEVEL], self._notes[_ROWS] = levels - 1, rows
        self._notes[_MAGIC], self._notes[_CLEAN] = MAGIC, 1
        if self._unsealed:
            self._growing.replace(self.path)
            self._unsealed = False

    def forget(self) -> None:
        """Releases the mapped memory."""
        self._notes, self._inode = None, 0

    def _mapped(self, handle: int, size: int) -> Region:
        held = mmap.mmap(handle, PAGE + size)
        self._inode = os.fstat(handle).st_ino
        self._notes = (ctypes.c_int64 * 4).from_address(
            ctypes.addressof(ctypes.c_char.from_buffer(held))
        )
        self._map = held
        return Region(size, held, PAGE)
