"""The default share of the machine for a search: its processors, and most free memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

SHARE = 0.9

_MEMINFO = Path("/proc/meminfo")
_OWN_GROUPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")
_STATM = Path("/proc/self/statm")


def processors() -> int:
    """The number of processors that this process may use."""
    return len(places()) or os.cpu_count() or 1


def places() -> list[int]:
    """The numbers of these processors; empty if the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def available() -> int | None:
    """Bytes that a search may take before the system would end it; None if not known."""
    found = most_free()
    return None if found is None else int(found[0] * SHARE)


def most_free() -> tuple[int, str] | None:
    """Free bytes, and the part of the system that limits them; None if not known."""
    limits = [(_of_machine(), "the machine")]
    limits += [(_of_group(*files), f"the control group {name}") for name, *files in _groups()]
    limits.append((_of_process(), "the address space that this process may have (ulimit -v)"))
    return min(((free, whose) for free, whose in limits if free is not None), default=None)


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


def _groups() -> Iterator[tuple[str, Path, Path]]:
    """The control groups that this process is in, from its own to the root, of both versions.

    Each has the files of its limit of memory and of what it uses. In a container, the root that it
    sees may be its own group.
    """
    try:
        lines = _OWN_GROUPS.read_text().splitlines()
    except OSError:
        lines = []
    own = {"": "/", "memory": "/"}
    for line in lines:
        _, controllers, name = line.split(":", 2)
        own.update((of, name) for of in controllers.split(",") if of in own)
    for of, limit, used in (
        ("", "memory.max", "memory.current"),
        ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        name = Path(own[of])
        for group in (name, *name.parents):
            folder = _GROUPS / of / group.relative_to("/")
            yield str(group), folder / limit, folder / used


def _of_group(limit: Path, used: Path) -> int | None:
    """The rest of a group's limit; None if it has none."""
    try:
        return max(0, int(limit.read_text()) - int(used.read_text()))
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    """The rest of the address space; None if that is not limited, or the system has no limit."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        return max(0, limit - int(_STATM.read_text().split()[0]) * resource.getpagesize())
    except (ImportError, OSError, ValueError):
        return None
