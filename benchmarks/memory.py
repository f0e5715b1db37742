"""Memory that the system has at hand: a virtual machine may have lent what is free to its host.

The first touch of such memory takes the host's time, on one machine 5 ms for 2 MB instead of
0.1 ms, and whether a program meets it depends on what ran before.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

BASE, PER_STATE = 256 << 20, 64
"""Bytes that are fetched for any program, and for each state that it is to find."""


def have_at_hand(states: int) -> None:
    """Fetches what a search of so many states may need; the program started next gets that.

    A process of its own does it, as Linux counts the memory of one that starts another to the peak
    of that.
    """
    size = BASE + PER_STATE * states
    if "SC_AVPHYS_PAGES" in os.sysconf_names:
        size = min(size, os.sysconf("SC_AVPHYS_PAGES") * mmap.PAGESIZE // 2)
    command = [sys.executable, "-m", "benchmarks.memory", str(size)]
    subprocess.run(command, cwd=Path(__file__).parents[1], check=False)


def touch(size: int) -> None:
    """Writes to each page of so many bytes, and gives them back."""
    with mmap.mmap(-1, size) as memory:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, size, mmap.PAGESIZE):
            memory[at] = 1


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal() or not int(sys.argv[1]):
        sys.exit("usage: python -m benchmarks.memory BYTES")
    touch(int(sys.argv[1]))
