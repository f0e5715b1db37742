"""Where the parts of a saved space lie, and which of them count.

    RUN/manifest.json                                   what it is the space of, and how to read it
    RUN/levels/level=0000.json                          the record of a level, written last of it
    RUN/states/level=0000/shard=0000.parquet            states: their ids, packed words, parents
    RUN/transitions/level=0000/shard=0000.parquet       the steps out of a level's states
    RUN/violations/level=0000/shard=0000.parquet        its states that a property is about
    RUN/properties.json                                 the verdict of each property
    RUN/spark.json                                      of a run on Spark, for itself

A level counts once its record is there. What else there may be of it is left from a process that
was ended, and is written again by the next.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from specmodel.errors import SpecmodelError, UsageError

SHARD_SHIFT = 40
"""The bit of a state's id from which on it has the shard; below is its number there."""

NONE = -1
"""What stands for an id or binding where there is none."""

STATES, TRANSITIONS, VIOLATIONS = "states", "transitions", "violations"


class DamagedRun(SpecmodelError):  # noqa: N818 - says what is wrong with a folder
    """A file of a run cannot be read, or is not what was written."""


class RunFiles:
    """The paths of a run's files, and the JSON among them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def manifest(self) -> Path:
        """The file that says what the space is of."""
        return self.folder / "manifest.json"

    @property
    def properties(self) -> Path:
        """The file with the verdicts."""
        return self.folder / "properties.json"

    @property
    def spark(self) -> Path:
        """The file that a run on Spark has for itself; what is there besides is its log."""
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
        """The records of the levels that count: from 0 on, as far as there is one for each."""
        found: list[dict[str, Any]] = []
        while (record := read_json(self.level(len(found)))) is not None:
            found.append(record)
        return found

    def commit(self, level: int, record: Mapping[str, Any]) -> None:
        """Makes a level count. `record` has `states` and `generated` at least. Raises OSError."""
        write_json(self.level(level), {"level": level, **record})

    def drop(self, first: int = 0) -> None:
        """Makes levels from one on count no longer, the last one first."""
        folder = self.level(0).parent
        for path in sorted(folder.glob("level=*.json"), reverse=True):
            if _level_of(path) >= first:
                path.unlink()

    def clear(self, first: int = 0) -> None:
        """Takes away a saved space, or its levels from one on: before all what says that they
        count. Raises OSError.
        """
        self.drop(first)
        self.properties.unlink(missing_ok=True)
        for kind in (STATES, TRANSITIONS, VIOLATIONS):
            for path in (self.folder / kind).glob("level=*"):
                if _level_of(path) >= first:
                    shutil.rmtree(path, ignore_errors=True)

    def sweep(self) -> None:
        """Removes what processes that were ended had not finished."""
        for kind in (STATES, TRANSITIONS, VIOLATIONS):
            for path in (self.folder / kind).glob("level=*/.*.part"):
                path.unlink(missing_ok=True)


def _level_of(path: Path) -> int:
    """The level in the name of a file or folder."""
    return int(path.name.removesuffix(".json").partition("=")[2])


def begin_folder(folder: Path, what: str) -> bool:
    """Makes a folder to write to, if there is none; gives whether there is anything in it.

    Raises UsageError, which says that one cannot do `what` in it, for one that takes no files.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = next(folder.iterdir(), None) is not None
    except FileExistsError:
        raise UsageError(f"cannot {what} in {folder}: it is a file") from None
    except OSError as wrong:
        raise UsageError(f"cannot {what} in {folder}: {wrong.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot {what} in {folder}: it cannot be written to")
    return held


def refuse_no_folder(folder: Path) -> None:
    """Raises UsageError for what is no folder, where one is to be read."""
    if not folder.exists():
        raise UsageError(f"there is no folder {folder}")
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is a file: give the folder that --save-space, --run or --save-walks has "
            "written"
        )


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Puts a JSON file in place, whole and on the disk, or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def read_json(path: Path) -> dict[str, Any] | None:
    """What is in a JSON file, None if there is none. Raises DamagedRun."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as wrong:
        raise DamagedRun(f"{path} cannot be read: {wrong}") from None
