"""The files of a saved space, and the rule for which of them are valid.

    RUN/manifest.json                                   what it is the space of, and how to read it
    RUN/levels/level=0000.json                          the record of a level, written last of it
    RUN/states/level=0000/shard=0000.parquet            states: their ids, packed words, parents
    RUN/transitions/level=0000/shard=0000.parquet       the steps out of a level's states
    RUN/violations/level=0000/shard=0000.parquet        its states that a property is about
    RUN/properties.json                                 the verdict of each property
    RUN/spark.json                                      of a run on Spark, for itself

A level counts once its record is there. What else there may be of it is left from a process that
was ended, and is written again by the next.

Each JSON file has a checksum of its own. A level's record names the level's files, with bytes, rows
and checksum. The manifest is written first without such names, to say whose the folder is; and once
more, last of all, with those of every other file but `spark.json`: the space is finished then.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from specmodel.errors import DamagedRun, UsageError
from specmodel.files import cannot, file_checksum, replacing, with_checksum, without_checksum
from specmodel.stores import in_store, read_text, remove_folder, try_store

SHARD_SHIFT = 40
"""The first bit of the shard in a state's id; below it is the number in the shard."""

NONE = -1
"""The value that stands for no id or no binding."""

STATES, TRANSITIONS, VIOLATIONS = "states", "transitions", "violations"


Named = Mapping[str, Mapping[str, Any]]
"""Files by their paths in a folder, each with its `bytes`, `rows` (None: no table), `checksum`."""

READERS = 8
"""The number of files whose checksums are computed at once."""


class RunFiles:
    """The paths of a run's files, and the JSON among them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def manifest(self) -> Path:
        """The file that describes the space."""
        return self.folder / "manifest.json"

    @property
    def properties(self) -> Path:
        """The file with the verdicts."""
        return self.folder / "properties.json"

    @property
    def spark(self) -> Path:
        """The file for the run on Spark; the rest of its data is its log."""
        return self.folder / "spark.json"

    def level(self, number: int) -> Path:
        """The record of a level, 0 for the initial states."""
        return self.folder / "levels" / f"level={number:04}.json"

    def part(self, kind: str, level: int, shard: int) -> Path:
        """The Parquet file with a shard's rows of a level; `kind` is STATES or another."""
        return self.folder / kind / f"level={level:04}" / f"shard={shard:04}.parquet"

    def parts(self, kind: str, level: int) -> list[Path]:
        """The Parquet files of a level that are there, by shard."""
        return sorted((self.folder / kind / f"level={level:04}").glob("shard=*.parquet"))

    def committed(self) -> list[dict[str, Any]]:
        """The records of the levels that count: from 0 up to the first missing record."""
        found: list[dict[str, Any]] = []
        while (record := read_json(self.level(len(found)))) is not None:
            found.append(record)
        return found

    def levels(self) -> int:
        """The number of records of levels, including those that do not count."""
        return len(list(self.level(0).parent.glob("level=*.json")))

    def commit(self, level: int, record: Mapping[str, Any], files: Named | None = None) -> None:
        """Makes a level count, when its other files exist. Raises OSError.

        `record` has `states` and `generated` at least. `files` are the entries of the other files,
        if the caller has them.
        """
        self.unseal()
        if files is None:
            files = named(self.folder, self._tables(level))
        write_json(self.level(level), {"level": level, **record, "files": files})

    def seal(self) -> None:
        """Marks the space as finished in the manifest, with these levels and verdicts.

        Raises OSError.
        """
        records = self.committed()
        paths = [self.level(level) for level in range(len(records))]
        files = named(self.folder, [*paths, self.properties])
        for record in records:
            files |= record["files"]
        seal(self.manifest, files)

    def unseal(self) -> None:
        """Marks the space as unfinished, before it is changed. Raises OSError."""
        held = read_json(self.manifest)
        if held is not None and held.pop("files", None) is not None:
            write_json(self.manifest, held)

    def refuse_damaged(self, contents: bool) -> bool:
        """Raises DamagedRun unless the files are as they were written; returns whether the space is
        finished.

        Without `contents`, only their existence and lengths are compared.
        """
        files, finished = sealed(self.manifest), True
        there = sorted(self.level(0).parent.glob("level=*.json"), key=_level_of)
        if files is None:  # records are written in order, the last of them counts
            finished, files = False, {}
            for level in range(_level_of(there[-1]) + 1 if there else 0):
                record = read_json(self.level(level))
                if record is None:
                    raise damaged(self.level(level), "is not there")
                files |= record["files"]
        else:
            there += [path for record in there for path in self._tables(_level_of(record))]
            for path in there:
                if str(path.relative_to(self.folder)) not in files:
                    raise damaged(path, "is none of the files that were written")
        refuse_changed(self.folder, files, contents)
        return finished

    def _tables(self, level: int) -> list[Path]:
        """The Parquet files of a level."""
        kinds = (STATES, TRANSITIONS, VIOLATIONS)
        return [path for kind in kinds for path in self.parts(kind, level)]

    def drop(self, first: int = 0) -> None:
        """Removes the records of levels from `first` on, the last one first. Raises OSError."""
        self.unseal()
        folder = self.level(0).parent
        for path in sorted(folder.glob("level=*.json"), key=_level_of, reverse=True):
            if _level_of(path) >= first:
                path.unlink()

    def clear(self, first: int = 0) -> None:
        """Removes a saved space, or its levels from `first` on.

        Removes first the files that make it count. Raises OSError.
        """
        self.drop(first)
        self.properties.unlink(missing_ok=True)
        for kind in (STATES, TRANSITIONS, VIOLATIONS):
            for path in (self.folder / kind).glob("level=*"):
                if _level_of(path) >= first and in_store(path):
                    remove_folder(path)
                elif _level_of(path) >= first:
                    shutil.rmtree(path, ignore_errors=True)

    def sweep(self) -> None:
        """Removes the unfinished files of processes that were ended."""
        for kind in (STATES, TRANSITIONS, VIOLATIONS):
            for path in (self.folder / kind).glob("level=*/.*.part"):
                path.unlink(missing_ok=True)


def _level_of(path: Path) -> int:
    """The level in the name of a file or folder."""
    return int(path.name.removesuffix(".json").partition("=")[2])


def begin_folder(folder: Path, what: str) -> bool:
    """Makes a folder to write to, if it does not exist; returns whether it contains anything.

    Raises UsageError, which names `what` was to be done, if no files can be written there.
    """
    if in_store(folder):
        with cannot(f"{what} in {folder}"):
            try_store(folder)
            return folder.exists() and next(folder.iterdir(), None) is not None
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"cannot {what} in {folder}: it is a file")
    with cannot(f"{what} in {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        held = next(folder.iterdir(), None) is not None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot {what} in {folder}: it cannot be written to")
    return held


def refuse_no_folder(folder: Path) -> None:
    """Raises UsageError for a path that is not a folder."""
    with cannot(f"read {folder}"):
        exists, is_folder = folder.exists(), folder.is_dir()
    if not exists:
        raise UsageError(f"there is no folder {folder}")
    if not is_folder:
        raise UsageError(
            f"{folder} is a file: give the folder that --save-space, --run or --save-walks has "
            "written"
        )


def named(folder: Path, paths: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Entries for files that have just been written, for a manifest. Raises OSError, DamagedRun."""
    with ThreadPoolExecutor(READERS) as readers:
        return dict(readers.map(functools.partial(entry, folder), paths))


def entry(folder: Path, path: Path) -> tuple[str, dict[str, Any]]:
    """The name and the entry of such a file. Raises OSError, DamagedRun."""
    rows = None
    if path.suffix == ".parquet":
        from specmodel.space.arrow import row_count  # other files need no pyarrow

        rows = row_count(path)
    found = {"bytes": path.stat().st_size, "rows": rows, "checksum": file_checksum(path)}
    return str(path.relative_to(folder)), found


def refuse_changed(folder: Path, files: Named, contents: bool = True) -> None:
    """Raises DamagedRun for the first file that is missing or differs from its entry.

    Without `contents`, only the lengths are compared.
    """

    def refuse(name: str) -> None:
        path, wanted = folder / name, files[name]
        try:
            size = path.stat().st_size
            if size != wanted["bytes"]:
                raise damaged(path, f"has {size:,} bytes, and was written with {wanted['bytes']:,}")
            if contents and file_checksum(path) != wanted["checksum"]:
                raise damaged(path, "was changed: its checksum is not that of what was written")
        except FileNotFoundError:
            raise damaged(path, "is not there") from None
        except OSError as wrong:
            raise DamagedRun(f"{path} cannot be read: {wrong.strerror or wrong}") from None

    with ThreadPoolExecutor(READERS) as readers:
        for _ in readers.map(refuse, files):
            pass


def seal(manifest: Path, files: Named) -> None:
    """Lists the files of the folder, which are whole by then, in the manifest. Raises OSError."""
    held = read_json(manifest)
    assert held is not None
    write_json(manifest, {**held, "files": files})


def sealed(manifest: Path) -> dict[str, Any] | None:
    """The files that a manifest lists; None if it lists none. Raises DamagedRun."""
    return (read_json(manifest) or {}).get("files")


def damaged(path: Path, how: str) -> DamagedRun:
    """The message about a damaged file: how it is damaged, and the remedy."""
    return DamagedRun(
        f"{path} {how}; bring the folder back from a copy, or remove it and write it again"
    )


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Writes a JSON file, with its checksum, whole and synced to the disk, or not at all.

    Raises OSError.
    """
    if not in_store(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, sync=True) as part:
        part.write_text(f"{json.dumps(with_checksum(value), indent=1)}\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any] | None:
    """The value that `write_json` wrote to a file, None if there is no file. Raises DamagedRun."""
    try:
        return without_checksum(json.loads(read_text(path)))
    except FileNotFoundError:
        return None
    except OSError as wrong:  # it may be whole: a store may be away
        raise DamagedRun(f"{path} cannot be read: {wrong.strerror or wrong}") from None
    except (ValueError, RecursionError) as wrong:
        raise damaged(path, f"cannot be read: {wrong}") from None
