"""A run directory: its search, the process that uses it, and its whole levels."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from specmodel.engines.spark.log import StateLog
from specmodel.errors import DamagedRun, UsageError
from specmodel.files import cannot, held
from specmodel.space.files import (
    Named,
    RunFiles,
    begin_folder,
    read_json,
    refuse_changed,
    write_json,
)
from specmodel.space.identity import difference
from specmodel.space.manifest import Manifest
from specmodel.store_lock import StoreLock
from specmodel.stores import in_store

LOCK = "lock"


class RunDirectory:
    """A run directory in the hands of one driver. `key` distinguishes the run from all others.

    `log_key` changes when states in the log get other ids. `whole` is the number of levels of a
    search that has ended, 0 if it has not.
    """

    def __init__(
        self,
        given: Path | None,
        new: Manifest,
        remark: Callable[[str], None] | None = None,
    ) -> None:
        """Makes the directory or uses an existing one; None: a temporary one for this search alone.

        `new` is the manifest of a new run; an existing run keeps its number of shards. `remark` is
        told if it has to wait for a lock in a store. Raises
        UsageError for a directory that cannot be used or is of another search, DamagedRun.
        """
        self.kept = given is not None
        self.path = given or Path(tempfile.mkdtemp(prefix="specmodel-run-"))
        self.files = RunFiles(self.path)
        begin_folder(self.path, "keep a run")
        busy = f"another process is using the run in {self.path}"
        self._lock: StoreLock | IO[bytes]
        if in_store(self.path):
            self._lock = StoreLock(self.path / LOCK, busy, remark)
        else:
            with cannot(f"keep a run in {self.path}"):
                self._lock = held(self.path / LOCK, busy)
        try:
            self._begin(new)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Releases the directory for others; removes a temporary one."""
        self._lock.close()
        if not self.kept:
            shutil.rmtree(self.path, ignore_errors=True)

    def commit(self, level: int, record: Mapping[str, Any], files: Named) -> None:
        """Makes a level count, whose states are in files with these entries.

        Raises OSError, DamagedRun if this machine does not see them, and UsageError if another
        process has the run.
        """
        if isinstance(self._lock, StoreLock):
            self._lock.refuse_lost()
        refuse_changed(self.path, files, contents=False)
        self.files.commit(level, record, files)

    def ended(self, levels: int) -> None:
        """Notes that there are no further levels. Raises OSError."""
        self.whole = levels
        self._note()

    def whole_levels(self, words: int) -> list[dict[str, Any]]:
        """The records of the levels with all their states. Later levels do not count any more."""
        log, records = StateLog(self.path, words), list[dict[str, Any]]()
        try:
            while (record := read_json(self.files.level(len(records)))) is not None:
                refuse_changed(self.path, record["files"])
                level = len(records)
                if [log.count(level, shard) for shard in range(self.shards)] != record["shards"]:
                    break
                records.append(record)
        except DamagedRun:
            pass
        if self.files.levels() > len(records):
            self.log_key, self.whole = uuid.uuid4().hex[:16], 0
            self._note()
            self.files.clear(len(records))
        return records

    def _begin(self, new: Manifest) -> None:
        own = self.files.spark
        if not self.files.manifest.exists():
            others = [e.name for e in self.path.iterdir() if e.name not in (LOCK, own.name)]
            if others:
                raise UsageError(
                    f"{self.path} is not empty and holds no run ({min(others)} is in it): give "
                    "another folder"
                )
            self.key = self.log_key = uuid.uuid4().hex[:16]
            self.whole = 0
            self._note()
            new.write(self.path)
        manifest, note = Manifest.read(self.path), read_json(own)
        if note is None:
            raise UsageError(
                f"{self.path} holds a space saved by the {manifest.engine} engine: give another "
                "folder"
            )
        apart = difference(manifest.identity, new.identity)
        if apart:
            raise UsageError(f"the run in {self.path} is of another search: {apart}")
        self.key: str = note["key"]
        self.log_key: str = note.get("log", self.key)
        self.whole: int = note.get("levels", 0)
        self.shards = manifest.shards

    def _note(self) -> None:
        write_json(self.files.spark, {"key": self.key, "log": self.log_key, "levels": self.whole})
