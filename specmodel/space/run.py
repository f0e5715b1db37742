"""A saved space: its manifest, the records of its levels, and its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError
from specmodel.ir.digest import digest
from specmodel.space.arrow import batches
from specmodel.space.files import TRANSITIONS, RunFiles, read_json
from specmodel.space.manifest import Manifest
from specmodel.space.near_files import NearFiles
from specmodel.stores import place
from specmodel.suite.targets import load_target

ROWS = 1 << 18
"""Rows that are read at a time."""


class SavedSpace:
    """A saved space, with the levels that counted when it was opened.

    `levels` are their records. If the search ended early, the steps out of the last level lead to
    states that do not count; these steps do not count either.
    """

    def __init__(self, folder: str | Path, *, verify: bool = True) -> None:
        """Reads the manifest and records.

        Raises UsageError for a folder without a space, DamagedRun.

        All files are read once and compared with their checksums; without `verify`, only their
        lengths are compared.
        """
        self.folder = place(folder)
        self.near = NearFiles(self.folder)
        self.files = RunFiles(self.folder)
        self.manifest = Manifest.read(self.folder)
        finished = self.files.refuse_damaged(contents=verify)
        self.levels = self.files.committed()
        if not self.levels:
            raise UsageError(f"{folder} has no level that is whole: nothing to look at yet")
        self.verdicts = read_json(self.files.properties) if finished else None
        if self.verdicts is None and self.manifest.transitions:
            self.levels[-1] |= {"expanded": False, "generated": 0, "actions": {}}

    @property
    def size(self) -> int:
        """The number of states."""
        return sum(record["states"] for record in self.levels)

    @property
    def complete(self) -> bool:
        """Whether these are all states that are reachable within the constraints."""
        return self.verdicts is not None and self.verdicts["complete"]

    def fired(self, action: str) -> int | None:
        """How often an action has fired, None if that is not saved."""
        if self.manifest.transitions:
            return sum(record["actions"].get(action, 0) for record in self.levels)
        return None if self.verdicts is None else self.verdicts["actions"].get(action, 0)

    def batches(
        self, kind: str, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
        """Rows of states, transitions or violations, in batches, with their level.

        `columns` are those that are read; all if None. Raises DamagedRun.
        """
        for level in range(len(self.levels)):
            for path in self.files_of(kind, level):
                yield from ((level, held) for held in batches(path, ROWS, columns))

    def files_of(self, kind: str, level: int | None = None) -> list[Path]:
        """The files of the levels that count, or of one of them, as their records name them.

        `kind` is states, transitions or violations.
        """
        return [
            self.folder / name
            for held in (self.levels if level is None else [self.levels[level]])
            if kind != TRANSITIONS or held.get("expanded", True)
            for name in held["files"]
            if name.startswith(kind)
        ]

    def need_transitions(self) -> None:
        """Raises UsageError if the steps are not saved."""
        if not self.manifest.transitions:
            again = f"specmodel check {self.manifest.design}"
            if self.manifest.engine == "spark":
                again += f" --engine spark --run {self.folder}"
            raise UsageError(
                f"{self.folder} has no transitions: save the space with them "
                f"({again} --save-space DIR)"
            )

    @cached_property
    def design(self) -> Design | None:
        """The design, from its source, if the source exists and has the same meaning."""
        if not self.manifest.target:
            return None
        try:
            design = load_target(self.manifest.target, self.manifest.constants)
            same = digest(design.spec.code) == self.manifest.identity["model"]
        except SpecmodelError:
            return None
        return design if same else None
