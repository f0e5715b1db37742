"""A cache of machine code in a folder of the user's.

If a file is damaged or missing, or its folder cannot be written, the code is compiled again; there
is no failure. Code that has not been used for long is removed when the cache is too large.

The cached code is run. So the folder must be this user's alone, and any other folder is not used:
whoever can write to it could run code under this user's name.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
import warnings
from pathlib import Path

from specmodel.errors import SpecmodelWarning
from specmodel.files import cache_folder, replacing

DIGEST_SIZE = 32

CODE = "objects"
"""The folder of the cache with machine code."""

MOST = 200_000_000
"""With more bytes of code, the least recently used code is removed, until half is left."""

LOOK_EVERY = 3600.0
"""Seconds between two checks of the size of the folder."""


def own_folder(name: str) -> Path | None:
    """A folder of the cache for code that is run; made if there is none.

    None with a warning if it would not be this user's alone, and None if it cannot be made.
    """
    for folder in (cache_folder(), cache_folder() / name):
        with contextlib.suppress(OSError):
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=stat.S_IRWXU)
            folder.chmod(stat.S_IRWXU)  # the umask may have taken rights of this user's too
        if not folder.is_dir():
            return None
        if reason := distrust(folder):
            warnings.warn(f"nothing is kept: {reason}", SpecmodelWarning, stacklevel=1)
            return None
    return folder


def distrust(folder: Path) -> str:
    """Why a folder is not used, with a remedy; empty if it is this user's alone."""
    held = folder.stat()
    instead = "set SPECMODEL_CACHE to a folder of your own"
    if hasattr(os, "getuid") and held.st_uid != os.getuid():
        return f"the cache {folder} is another user's; {instead}"
    if os.name == "posix" and held.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others can write to the cache {folder}; chmod 700 it, or {instead}"
    return ""


def read(name: str) -> bytes | None:
    """The code in a file, which starts with a digest of the rest; None if the file is damaged."""
    folder = own_folder(CODE)
    if folder is None:
        return None
    path = folder / name
    try:
        with path.open("rb") as file:
            held = os.fstat(file.fileno())
            if hasattr(os, "getuid") and held.st_uid != os.getuid():
                return None  # the file dates from a time when others could write to the folder
            data = file.read()
    except OSError:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # marks it as used
    code = data[DIGEST_SIZE:]
    return code if hashlib.sha256(code).digest() == data[:DIGEST_SIZE] else None


def write(name: str, code: bytes) -> None:
    """Writes a file whole or not at all, because other processes read the same folder."""
    folder = own_folder(CODE)
    if folder is None:
        return
    with contextlib.suppress(OSError):
        with contextlib.suppress(OSError), replacing(folder / name) as part:
            part.write_bytes(hashlib.sha256(code).digest() + code)
        _prune(folder)


def _prune(folder: Path) -> None:
    """Removes the least recently used code if there is too much; checks only once in a while."""
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
