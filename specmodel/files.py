"""Files that a user names: read within bounds, written whole or not at all, and checksums."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from specmodel.errors import UsageError
from specmodel.stores import in_store, store_errors, uploading

MOST_BYTES = 256 << 20
"""The largest file that is read, unless its reader has another bound."""

CHECKSUM = "checksum"
"""The key of a JSON object's checksum."""


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """The text of a file, read as `read_bytes` does. Raises UsageError if it is not UTF-8 too."""
    try:
        return read_bytes(path, most).decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"cannot read {path}: it is not UTF-8 text") from None


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file of at most `most` bytes.

    Raises UsageError for a file that cannot be read, for a longer one, and for devices, pipes and
    sockets, which may have no end or no beginning.
    """
    with cannot(f"read {path}"):
        held = path.stat()
        if not stat.S_ISREG(held.st_mode) and not stat.S_ISDIR(held.st_mode):
            raise UsageError(f"cannot read {path}: it is a device, a pipe or a socket, not a file")
        with path.open("rb") as file:  # it may grow meanwhile; files below /proc have no size
            content = b"" if held.st_size > most else file.read(most + 1)
    if max(len(content), held.st_size) > most:
        raise UsageError(f"cannot read {path}: it has more than {most:,} bytes")
    return content


def parsed_json(text: str, place: str) -> Any:
    """The value of a JSON text.

    Raises UsageError, which begins with `place`, for any other text.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as wrong:
        raise UsageError(f"{place}:{wrong.lineno}:{wrong.colno}: not JSON: {wrong.msg}") from None
    except RecursionError:
        raise UsageError(f"{place}: its values are nested too deeply") from None
    except ValueError:
        # Python refuses numbers of thousands of digits, because the time to read one is quadratic.
        raise UsageError(f"{place}: a number has too many digits") from None


def file_checksum(path: Path) -> str:
    """A checksum of a file's content. Raises OSError."""
    with store_errors(), path.open("rb") as file:
        return hashlib.file_digest(file, _checksum).hexdigest()


def with_checksum(value: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON object with its own checksum."""
    return {**value, CHECKSUM: _checksum(json.dumps(value).encode()).hexdigest()}


def without_checksum(value: Any) -> dict[str, Any]:
    """The object that `with_checksum` got. Raises ValueError for any other."""
    if not isinstance(value, dict) or CHECKSUM not in value:
        raise ValueError(
            "it has no checksum: it was changed, or an earlier version of specmodel wrote it"
        )
    document: dict[str, Any] = {**value}
    held = {key: part for key, part in document.items() if key != CHECKSUM}
    if with_checksum(held) != document:
        raise ValueError("it was changed: its checksum is that of something else")
    return held


def _checksum(content: bytes = b"") -> Any:
    return hashlib.blake2b(content, digest_size=16)


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all. Raises UsageError if it cannot be written."""
    with cannot(f"write {path}"), replacing(path) as part:
        part.write_bytes(content)


@contextmanager
def replacing(path: Path, sync: bool = False) -> Generator[Path]:
    """A file to write to, which replaces `path` at the end; nothing is left of a failure.

    With `sync`, it is on the disk before it replaces `path`. It has the permissions of the replaced
    file. A link stays a link. If no file can be made beside `path`, as beside a device, `path`
    itself is written. A file in a store is written here and sent there. Raises OSError.
    """
    if in_store(path):
        with uploading(path) as sent:
            yield sent
        return
    target = real(path)
    if target.exists() and not (target.is_file() and os.access(target.parent, os.W_OK)):
        yield target
        return
    handle, name = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part"
    )
    os.close(handle)
    part = Path(name)
    try:
        part.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        yield part
        if sync:
            with part.open("rb") as file:
                os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def real(path: Path) -> Path:
    """The path without links. A loop of links stays as it is, and fails when it is read."""
    return Path(os.path.realpath(path))


def files_below(folder: Path, *endings: str) -> list[Path]:
    """The files below a folder whose names end so, in order. Folders that cannot be read are empty;
    links to folders are not followed.
    """
    return sorted(
        Path(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(endings)
    )


def _umask() -> int:
    """The permissions that new files do not get. They can only be read by setting them."""
    held = os.umask(0o077)
    os.umask(held)
    return held


def held(path: Path, busy: str) -> IO[bytes]:
    """A file that this process owns until it is closed, if the system supports it.

    Raises OSError, and UsageError, which says `busy`, if another process has it.
    """
    file = path.open("ab")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UsageError(busy) from None
    except ImportError:
        pass
    return file


@contextmanager
def cannot(what: str) -> Generator[None]:
    """Turns errors of the system into UsageError: `what` cannot be done, and why."""
    try:
        yield
    except OSError as wrong:
        raise UsageError(f"cannot {what}: {wrong.strerror or wrong}") from None


def cache_folder() -> Path:
    """The cache folder: everything in it can be made again.

    It is $SPECMODEL_CACHE, or else a folder of the XDG cache.
    """
    given = os.environ.get("SPECMODEL_CACHE")
    if given:
        return Path(given)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path("~/.cache").expanduser()) / "specmodel"
