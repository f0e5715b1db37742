"""What a search may take of the machine when nobody says: its processors, and most free memory."""

from __future__ import annotations

import os
from pathlib import Path

SHARE = 0.9

_MEMINFO = Path("/proc/meminfo")
_GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


def processors() -> int:
    """How many processors this process may use."""
    return len(places()) or os.cpu_count() or 1


def places() -> list[int]:
    """The numbers of these processors; none where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def available() -> int | None:
    """Bytes that a search may take before the system would end it; None where that is not known."""
    limits = (_of_machine(), *(_of_group(*g) for g in _GROUPS))
    known = [free for free in limits if free is not None]
    return int(min(known) * SHARE) if known else None


def _of_machine() -> int | None:
    try:
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def _of_group(limit: Path, used: Path) -> int | None:
    """What is left of a container's own limit."""
    try:
        return max(0, int(limit.read_text()) - int(used.read_text()))
    except (OSError, ValueError):
        return None
