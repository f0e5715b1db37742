"""Machine code that is kept from one run to the next, in a folder of the user's.

A file that is damaged, gone meanwhile, or in a folder that cannot be written costs a compilation,
never a failure. What has not been used for long goes once there is too much.

What is kept is run. So the folder is this user's alone, and one that is not is left alone: whoever
can write to it could have code run under this user's name.
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
from specmodel.files import replacing

DIGEST_SIZE = 32

CODE = "objects"
"""The folder of the cache that has machine code."""

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


def own_folder(name: str) -> Path | None:
    """A folder of the cache for what is run, made if there is none.

    None where it would not be this user's alone, which is warned of, and where it cannot be made.
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
    """Why a folder is not used, and what to do; empty if it is this user's alone."""
    held = folder.stat()
    instead = "set SPECMODEL_CACHE to a folder of your own"
    if hasattr(os, "getuid") and held.st_uid != os.getuid():
        return f"the cache {folder} is another user's; {instead}"
    if os.name == "posix" and held.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others can write to the cache {folder}; chmod 700 it, or {instead}"
    return ""


def read(name: str) -> bytes | None:
    """The code in a file, which starts with a digest of the rest; None if it is not whole."""
    folder = own_folder(CODE)
    if folder is None:
        return None
    path = folder / name
    try:
        with path.open("rb") as file:
            held = os.fstat(file.fileno())
            if hasattr(os, "getuid") and held.st_uid != os.getuid():
                return None  # it was put there while others could
            data = file.read()
    except OSError:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # it has been used
    code = data[DIGEST_SIZE:]
    return code if hashlib.sha256(code).digest() == data[:DIGEST_SIZE] else None


def write(name: str, code: bytes) -> None:
    """Puts a file in place whole or not at all, as other processes read the same folder."""
    folder = own_folder(CODE)
    if folder is None:
        return
    with contextlib.suppress(OSError):
        with contextlib.suppress(OSError), replacing(folder / name) as part:
            part.write_bytes(hashlib.sha256(code).digest() + code)
        _prune(folder)


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
