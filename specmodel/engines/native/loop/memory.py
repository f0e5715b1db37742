"""Memory outside Python's heap, counted and limited."""

from __future__ import annotations

import ctypes
import functools
import mmap
import sys
import threading
from typing import Protocol

from specmodel.errors import MemoryLimit, SpecmodelError

HUGE_PAGE = 2 << 20

POPULATE = 23
"""Linux's MADV_POPULATE_WRITE (5.14 and later), which Python has no name for.

Populating all small pages in one call costs less. Otherwise, if the first access to a page is a
read, as in tables, each page takes two faults, and the second interrupts all other threads.
"""


class DiskFull(SpecmodelError):  # noqa: N818 - a limit met, not a mistake made
    """States could not be written to disk. The states are still where they were."""

    exit_code = 3


class Region:
    """Zeroed memory, private to the process, in huge pages where the system has them.

    With `mapped`, the memory is a part of a file that the caller has mapped, and shared.
    """

    def __init__(
        self, size: int, mapped: mmap.mmap | None = None, start: int = 0, ready: bool = True
    ) -> None:
        """With `ready`, the system provides the pages of a small region at once."""
        self._private = mapped is None
        self._map = _anonymous(size) if mapped is None else mapped
        self.size = size
        self._kept_from = 0
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._map, start))
        if self._private and sys.platform == "linux":
            if size >= HUGE_PAGE:
                self._advise(mmap.MADV_HUGEPAGE, 0, len(self._map))
            if ready and size < 2 * HUGE_PAGE:
                fetch(self.address, size)

    def forget(self, stop: int) -> None:
        """Returns memory before a byte to the system, in whole huge pages; its content is lost."""
        stop = stop // HUGE_PAGE * HUGE_PAGE
        if self._private and self._kept_from < stop and hasattr(mmap, "MADV_DONTNEED"):
            self._advise(mmap.MADV_DONTNEED, self._kept_from, stop - self._kept_from)
            self._kept_from = stop

    def close(self) -> None:
        """Returns the memory to the system. No pointer into it may be used any more."""
        self._map.close()

    def _advise(self, advice: int, start: int, size: int) -> None:
        try:
            self._map.madvise(advice, start, size)
        except OSError:
            return  # huge pages are advice: a kernel that does not support it works as well


def fetch(address: int, size: int) -> None:
    """Makes the system provide memory that was not used so far, without Python's lock."""
    if sys.platform == "linux":
        _system().madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), POPULATE)


@functools.cache
def _system() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _anonymous(size: int) -> mmap.mmap:
    if size > HUGE_PAGE:  # Linux uses huge pages for a whole number of huge pages only
        size = -(-size // HUGE_PAGE) * HUGE_PAGE
    if hasattr(mmap, "MAP_ANONYMOUS"):
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, size)


class Ready(Protocol):
    """Memory that is prepared before it is requested."""

    def take(self, size: int) -> Region | None:
        """A region of a size, if there is one."""
        ...


class Memory:
    """Counts the bytes a search holds and refuses to go over a limit. Threads may share it."""

    def __init__(self, limit: int | None = None, reserve: Ready | None = None) -> None:
        """`reserve` provides memory that was prepared."""
        self.limit = limit
        self._reserve = reserve
        self.used = 0
        self.peak = 0
        self._lock = threading.Lock()

    def region(self, size: int, counted: int | None = None) -> Region:
        """New memory. `counted`: the bytes it adds to those held, if they differ from its size."""
        more = size if counted is None else counted
        self._count(more)
        try:
            ready = self._reserve.take(size) if self._reserve is not None else None
            return Region(size) if ready is None else ready
        except OSError:
            self.returned(more)
            raise MemoryLimit(self.used + more, None) from None

    def taken(self, size: int, beyond_limit: bool = False) -> None:
        """Adds bytes that are held elsewhere. Raises MemoryLimit unless `beyond_limit`."""
        self._count(size, beyond_limit)

    def returned(self, size: int) -> None:
        """Subtracts bytes that have been released."""
        with self._lock:
            self.used -= size

    def _count(self, size: int, beyond_limit: bool = False) -> None:
        with self._lock:
            wanted = self.used + size
            if self.limit is not None and wanted > self.limit and not beyond_limit:
                raise MemoryLimit(wanted, self.limit)
            self.used = wanted
            self.peak = max(self.peak, wanted)
