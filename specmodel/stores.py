"""Folders in object storage and HDFS, beside those of this machine.

A URL names one, as s3://bucket/space does. Where a `Path` is expected, a `UPath` of
universal_pathlib then stands in its place: it has the same methods, over fsspec's file systems.
Credentials and endpoints come from where those take them.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from specmodel.errors import UsageError

STORES = ("s3", "gs", "abfs", "hdfs", "memory")
"""Protocols by which an object is there whole or not at all; the last is for tests."""

UNCACHED = {"use_listings_cache": False}
"""What is in a store is asked each time: other processes write there."""

RETRIES = {"config_kwargs": {"retries": {"mode": "standard", "total_max_attempts": 8}}}
"""S3 is asked again for half a minute, unless the user's environment sets another number."""

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "s3": UNCACHED,
    "gs": UNCACHED,
    "hdfs": {"dfs.client.failover.max.attempts": "4"},
}
"""Options of file systems. A name node that is away is asked for 16 s, not for three minutes."""

LIBRARIES = ("botocore", "aiobotocore", "aiohttp", "gcsfs", "google", "azure", "fsspec")
"""Libraries whose errors are those of a store."""

HDFS_ERROR = re.compile(r'\w+\("(?:[\w.$]+", ")?(?P<message>(?:[^"\\]|\\")*)')
"""The texts of errors of hdfs-native that are no OSError: their name, often a class, a message."""

CALLS = (
    *("exists", "is_dir", "is_file", "stat", "iterdir", "glob", "rglob"),
    *("open", "read_bytes", "read_text", "write_bytes", "write_text", "unlink"),
)
"""The methods of a path by which a store is asked."""

PACKAGES = {"gs": "gcsfs", "abfs": "adlfs"}
"""The packages for stores that the extra does not bring, by protocol."""


def place(given: str | Path) -> Path:
    """A path, or the folder in a store that a URL names.

    Raises UsageError for a URL of no known store, if a package for it is not installed, and if its
    library knows no server for it.
    """
    text = str(given)
    scheme = re.match(r"(\w[\w+.-]*)://", text)
    if scheme is None:
        return Path(given)
    if in_store(given):
        return cast(Path, given)
    if scheme[1] == "file":
        return Path(text.removeprefix("file://"))
    if scheme[1] not in STORES:
        raise UsageError(
            f"{text}: no store is known by {scheme[1]}://; there are s3, gs, abfs and hdfs"
        )
    if text.rstrip("/") == f"{scheme[1]}:":
        raise UsageError(f"{text} names no folder: write {scheme[1]}://HOST-OR-BUCKET/FOLDER")
    try:
        if scheme[1] == "hdfs":
            importlib.import_module("specmodel.hdfs")
        options = dict(OPTIONS.get(scheme[1], {}))
        if scheme[1] == "s3" and not os.environ.keys() & {"AWS_MAX_ATTEMPTS", "AWS_RETRY_MODE"}:
            options |= RETRIES
        made = _store_path()(text.rstrip("/"), **options)
        with store_errors():
            made.fs  # imports the package for this store  # noqa: B018
    except ImportError:
        package = PACKAGES.get(scheme[1])
        more = f" and `pip install {package}`" if package else ""
        raise UsageError(
            f"{text}: folders in stores need `pip install 'specmodel[stores]'`{more}"
        ) from None
    except OSError as wrong:
        raise UsageError(f"cannot reach {text}: {wrong}") from None
    return cast(Path, made)


def here(given: str | Path, option: str) -> Path:
    """A path on this machine. Raises UsageError, which names the option, for a URL."""
    if re.match(r"\w[\w+.-]+:/", str(given)):
        raise UsageError(f"{option} takes a folder of this machine, not a URL: {given}")
    return Path(given)


def in_store(path: object) -> bool:
    """Whether a place is in a store, and not on this machine."""
    return not isinstance(path, str | Path)


@contextmanager
def store_errors() -> Generator[None]:
    """Turns the errors of a store's library into OSError."""
    try:
        yield
    except OSError as wrong:
        if len(wrong.args) == 1:  # HDFS adds the stack of its server
            wrong.args = (str(wrong.args[0]).partition("\n")[0],)
        if wrong.strerror == "Bad Request":  # a request for an object's size gets no reason
            wrong.strerror = "Bad Request, as S3 says if a token has expired"
        raise
    except Exception as wrong:
        if type(wrong) is RuntimeError and (told := HDFS_ERROR.match(str(wrong))):
            raise OSError(told["message"].replace('\\"', '"')) from None
        if type(wrong).__module__.partition(".")[0] not in LIBRARIES:
            raise
        raise OSError(str(wrong) or type(wrong).__name__) from None


@functools.cache
def _store_path() -> Any:
    """The class of places in stores: a `UPath` whose calls raise no errors of a store's library but
    OSError."""
    proxy: Any = importlib.import_module("upath.extensions").ProxyUPath

    def telling(name: str) -> Callable[..., Any]:
        below = getattr(proxy, name)

        @functools.wraps(below)
        def call(*given: Any, **named: Any) -> Any:
            with store_errors():
                found = below(*given, **named)
                return iter(list(found)) if inspect.isgenerator(found) else found

        return call

    def url(self: Any) -> str:
        """The URL, of which a `UPath` leaves the server out."""
        text, server = str(self.__wrapped__), self.storage_options
        if not text.startswith("hdfs:///") or not server.get("host"):
            return text
        port = f":{server['port']}" if server.get("port") else ""
        return f"hdfs://{server['host']}{port}{self.path}"

    return type("StorePath", (proxy,), {"__str__": url, **{n: telling(n) for n in CALLS}})


@contextmanager
def uploading(path: Path) -> Generator[Path]:
    """A file on this machine to write to, which becomes the file `path` of a store at the end.

    Nothing is left of a failure. Raises OSError.
    """
    with tempfile.TemporaryDirectory(prefix="specmodel-") as folder:
        part = Path(folder) / path.name
        part.touch()
        yield part
        upload(part, path)


def upload(part: Path, path: Path, *, first: bool = False) -> None:
    """Makes a file on this machine the file `path` of a store, whole or not at all.

    If it has to be the `first` of its name, raises FileExistsError for a second one. Raises
    OSError.
    """
    there = cast(Any, path)
    with store_errors():
        there.fs.put_file(str(part), there.path, mode="create" if first else "overwrite")


def read_text(path: Path) -> str:
    """The text of a file on this machine or in a store. Raises OSError.

    It is one request: an object that is replaced meanwhile is read as it was or as it is.
    """
    if not in_store(path):
        return path.read_text(encoding="utf-8")
    there = cast(Any, path)
    with store_errors():
        return there.fs.cat_file(there.path).decode()


def download(path: Path, part: Path) -> None:
    """Copies a file of a store to a file on this machine, whose folder is made. Raises OSError."""
    part.parent.mkdir(parents=True, exist_ok=True)
    there = cast(Any, path)
    with store_errors():
        there.fs.get_file(there.path, str(part))


def hadoop_url(path: Path) -> str:
    """The URL by which Hadoop, and so Spark, knows a place: its S3 is called s3a."""
    return re.sub("^s3://", "s3a://", str(path))


def try_store(folder: Path) -> None:
    """Writes a small file to a folder of a store, and removes it. Raises OSError."""
    tried = folder / f".{uuid.uuid4().hex}.part"
    tried.write_bytes(b"-")
    tried.unlink()


def remove_folder(path: Path) -> None:
    """Removes a folder of a store with all that is in it. Raises OSError."""
    there = cast(Any, path)
    with store_errors():
        there.fs.rm(there.path, recursive=True)
