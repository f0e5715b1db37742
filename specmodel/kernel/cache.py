"""Machine code that is kept from one run to the next, in a folder of the user's.

A file that is damaged, gone meanwhile, or in a folder that cannot be written costs a compilation,
never a failure. What has not been used for long goes once there is too much.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

DIGEST_SIZE = 32

MOST = 200_000_000
"""Bytes of code above which the least recently used go, until there is half of it."""

LOOK_EVERY = 3600.0
"""Seconds from one look at the size of the folder to the next."""


def cache_folder() -> Path:
    """The folder of all that is kept from one run to the next and can be made again.

    It is $SPECMODEL_CACHE, or else a folder of the XDG cache.
    """
    given = os.environ.get("SPECMODEL_CACHE")
    if given:
        return Path(given)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path("~/.cache").expanduser()) / "specmodel"


def read(name: str) -> bytes | None:
    """The code in a file, which starts with a digest of the rest; None if it is not whole."""
    path = _folder() / name
    try:
        data = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # it has been used
    code = data[DIGEST_SIZE:]
    return code if hashlib.sha256(code).digest() == data[:DIGEST_SIZE] else None


def write(name: str, code: bytes) -> None:
    """Puts a file in place whole or not at all, as other processes read the same folder."""
    folder = _folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            Path(part).replace(folder / name)
        except OSError:
            with contextlib.suppress(OSError):
                Path(part).unlink()
        _prune(folder)


def _folder() -> Path:
    return cache_folder() / "objects"


def _prune(folder: Path) -> None:
    """Removes what has not been used for longest, if there is too much; looks now and then only."""
    looked = folder / "looked"
    if looked.exists() and time.time() - looked.stat().st_mtime < LOOK_EVERY:
        return
    looked.touch()
    files: list[tuple[float, int, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            held = entry.stat()
            files.append((held.st_mtime, held.st_size, entry.path))
    size = sum(file[1] for file in files)
    if size <= MOST:
        return
    for _, bytes_, path in sorted(files):
        if size <= MOST // 2:
            return
        Path(path).unlink(missing_ok=True)
        size -= bytes_
