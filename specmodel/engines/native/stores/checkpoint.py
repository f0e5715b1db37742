"""A checkpoint: a folder from which a search can be continued, whatever ended it.

The folder has files of packed states, each written once and never changed, and a manifest that
names the files that count. A new manifest replaces the old one in one step of the file system,
after all files that it names are on the disk. So there is a whole checkpoint at every moment: the
old one, then the new one. Files that the manifest does not name are left from a process that was
killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from specmodel.dataclass import dataclass
from specmodel.engines.base.findings import Noted
from specmodel.errors import SpecmodelError, UsageError
from specmodel.files import held, replacing
from specmodel.space.identity import difference
from specmodel.version import __version__

FORMAT = 3
"""Increases when earlier files can no longer be read."""

MANIFEST = "checkpoint.json"
LOCK = "lock"
STATES = re.compile(r"\d{6}-\d+\.states(\.part)?")


class CheckpointError(SpecmodelError):
    """A checkpoint that no search can continue: of another search, or damaged."""


@dataclass(frozen=True)
class StateFile:
    """A file of packed states with levels from `low` to `high`; `digest` is of its contents."""

    name: str
    states: int
    low: int
    high: int
    size: int
    digest: str


@dataclass(frozen=True)
class Boundary:
    """The end of a level: all states up to `level` are found and checked.

    `counters` is how often each action had fired, `seconds` the time spent by all runs, `hits` are
    those of `Findings.noted`.
    """

    level: int
    distinct: int
    initial: int
    seconds: float
    counters: tuple[int, ...]
    hits: tuple[Noted, ...]


class Checkpoint:
    """The checkpoint in a folder, if there is one, and the writing of the next.

    Only one process at a time may open it. `identity` describes the search: values by their names,
    in words that a message can use.
    """

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        """Makes the folder if it does not exist.

        Raises UsageError for a folder that cannot be used, CheckpointError for a checkpoint that is
        damaged or of another search.
        """
        self.folder = folder
        self.identity = dict(identity)
        self.boundary: Boundary | None = None
        self.files: tuple[StateFile, ...] = ()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            busy = f"another process is using the checkpoint in {folder}"
            self._lock = held(folder / LOCK, busy)
        except OSError as wrong:
            raise UsageError(f"cannot keep a checkpoint in {folder}: {wrong.strerror}") from None
        try:
            self._read()
            self._number = max([0, *map(_number, self._state_files())])
        except BaseException:
            self._lock.close()
            raise

    def close(self) -> None:
        """Releases the folder for other processes."""
        self._lock.close()

    # Reading

    def open(self, file: StateFile) -> Path:
        """The path of one of its files. Raises CheckpointError unless it is whole."""
        path = self.folder / file.name
        try:
            with path.open("rb") as contents:
                digest = hashlib.file_digest(contents, _digest).hexdigest()
                size = contents.tell()
        except OSError as wrong:
            raise self._damaged(f"{file.name}: {wrong.strerror}") from None
        if (size, digest) != (file.size, file.digest):
            raise self._damaged(f"{file.name} is not what was written")
        return path

    def _read(self) -> None:
        """Reads the manifest, if there is one."""
        try:
            text = (self.folder / MANIFEST).read_text(encoding="utf-8")
        except FileNotFoundError:
            return
        except (OSError, ValueError) as wrong:
            raise self._damaged(f"{MANIFEST} cannot be read: {wrong}") from None
        head, _, body = text.partition("\n")
        if head != hashlib.blake2b(body.encode()).hexdigest():
            raise self._damaged(f"{MANIFEST} is not what was written")
        saved = cast(dict[str, Any], json.loads(body))
        if saved["format"] != FORMAT:
            raise CheckpointError(
                f"the checkpoint in {self.folder} was written by another version of specmodel "
                f"({saved['specmodel']}): give another folder"
            )
        self._refuse_another(saved["identity"])
        where: dict[str, Any] = saved["boundary"]
        self.boundary = Boundary(
            **{name: where[name] for name in ("level", "distinct", "initial", "seconds")},
            counters=tuple(where["counters"]),
            hits=tuple(
                (record, tuple(words), binding, level)
                for record, words, binding, level in where["hits"]
            ),
        )
        self.files = tuple(StateFile(**file) for file in saved["files"])

    def _refuse_another(self, saved: Mapping[str, Any]) -> None:
        """Raises CheckpointError, naming the difference, if another search wrote the checkpoint."""
        apart = difference(saved, self.identity)
        if apart:
            raise CheckpointError(f"the checkpoint in {self.folder} is of another search: {apart}")

    def _damaged(self, what: str) -> CheckpointError:
        return CheckpointError(
            f"the checkpoint in {self.folder} is damaged: {what}; give another folder, or remove "
            "this one to start anew"
        )

    # Writing

    def save(
        self, boundary: Boundary, write: Callable[[Callable[[], Path]], Sequence[StateFile]]
    ) -> None:
        """Replaces the old checkpoint with a new one, which adds to its files.

        `write` writes the new files, syncs them to the disk, and returns their accounts. It may ask
        for any number of paths, from any thread. Raises OSError, after which the old checkpoint is
        unchanged.
        """
        self._number += 1
        part = 0

        def new_path() -> Path:
            nonlocal part
            part += 1
            return self.folder / f"{self._number:06}-{part}.states"

        try:
            files = (*self.files, *write(new_path))
            _sync_folder(self.folder)
            self._replace_manifest(boundary, files)
        except BaseException:
            self._remove_unnamed()
            raise
        self.boundary, self.files = boundary, files
        self._remove_unnamed()

    def discard(self) -> None:
        """Removes the checkpoint, when the search is over. A file that cannot be removed stays."""
        self.boundary, self.files = None, ()
        with contextlib.suppress(OSError):
            (self.folder / MANIFEST).unlink(missing_ok=True)
            _sync_folder(self.folder)
            self._remove_unnamed()
            (self.folder / LOCK).unlink(missing_ok=True)

    def _replace_manifest(self, boundary: Boundary, files: Iterable[StateFile]) -> None:
        body = json.dumps(
            {
                "format": FORMAT,
                "specmodel": __version__,
                "identity": self.identity,
                "boundary": asdict(boundary),
                "files": [asdict(file) for file in files],
            },
            indent=1,
        )
        digest = hashlib.blake2b(body.encode()).hexdigest()
        with replacing(self.folder / MANIFEST, sync=True) as part:
            part.write_text(f"{digest}\n{body}", encoding="utf-8")
        _sync_folder(self.folder)

    def _state_files(self) -> list[str]:
        return [entry.name for entry in self.folder.iterdir() if STATES.fullmatch(entry.name)]

    def _remove_unnamed(self) -> None:
        """Removes state files that do not count, and manifests that never became current."""
        named = {file.name for file in self.files}
        begun = [path.name for path in self.folder.glob(f".{MANIFEST}.*")]
        for name in (*self._state_files(), *begun):
            if name not in named:
                with contextlib.suppress(OSError):
                    (self.folder / name).unlink()


def write_file(path: Path, blocks: Iterable[memoryview]) -> tuple[int, str]:
    """Writes blocks to a new file and syncs it to the disk; returns its size and digest.

    Raises OSError.
    """
    digest, size = _digest(), 0
    with path.open("xb") as file:
        for block in blocks:
            digest.update(block)
            size += file.write(block)
        file.flush()
        os.fsync(file.fileno())
    return size, digest.hexdigest()


def _digest() -> Any:
    return hashlib.blake2b(digest_size=20)


def _number(name: str) -> int:
    return int(name.partition("-")[0])


def _sync_folder(folder: Path) -> None:
    """Syncs the names in a folder to the disk, if the system supports it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
