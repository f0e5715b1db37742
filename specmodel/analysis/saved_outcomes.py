"""Outcomes kept in a file, so that a long series of searches can be continued.

Each line is JSON: the digest of the search, its outcome, and a checksum. The digest includes the
sources of the design, so that an edited design is searched again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from specmodel.analysis.searches import Judged, SearchOutcome, Task, side_by_side
from specmodel.errors import UsageError
from specmodel.files import parsed_json, read_text, with_checksum, without_checksum
from specmodel.suite.targets import load_target
from specmodel.version import __version__


class SavedOutcomes:
    """Outcomes in a file.

    Only final ones are reused: those that a longer search would not change.
    """

    def __init__(self, file: Path) -> None:
        """Reads a file, which need not exist yet.

        Raises UsageError if it is another kind of file.
        """
        self.file = file
        self.outcomes: dict[str, SearchOutcome] = {}
        self._sources: dict[str, str] = {}
        text = read_text(file) if file.exists() else ""
        lines = text.splitlines()
        for number, line in enumerate(lines, start=1):
            try:
                held = without_checksum(parsed_json(line, f"{file}:{number}"))
                self.outcomes[held["searched"]] = _read(held["outcome"])
            except (UsageError, KeyError, TypeError, ValueError):
                if number == len(lines) and not text.endswith("\n"):
                    break  # an earlier run was ended while it wrote this line
                raise UsageError(
                    f"{file}:{number}: this is no file of kept outcomes, or the line was changed: "
                    "give another file, or remove the line, and it is searched again"
                ) from None
        if text and not text.endswith("\n"):
            self._write(text[: text.rfind("\n") + 1], "w")

    def outcome(self, task: Task) -> SearchOutcome | None:
        """The earlier outcome of a task, if its search was complete."""
        found = self.outcomes.get(self._digest(task))
        return found if found is not None and (found.complete or found.failure) else None

    def add(self, task: Task, outcome: SearchOutcome) -> None:
        """Adds an outcome. Raises UsageError if the file cannot be written."""
        digest = self._digest(task)
        self.outcomes[digest] = outcome
        line = with_checksum(
            {
                "searched": digest,
                "target": Path(task.target).name,
                "constants": dict(task.constants),
                "outcome": asdict(outcome),
            }
        )
        self._write(json.dumps(line) + "\n", "a")

    def _digest(self, task: Task) -> str:
        if task.target not in self._sources:
            self._sources[task.target] = _sources(task.target)
        constants = sorted((name, repr(value)) for name, value in task.constants.items())
        said = (__version__, self._sources[task.target], constants, task.properties, task.engine)
        return hashlib.sha256(repr(said).encode()).hexdigest()

    def _write(self, text: str, mode: str) -> None:
        try:
            with self.file.open(mode, encoding="utf-8") as file:
                file.write(text)
        except OSError as wrong:
            raise UsageError(f"cannot write {self.file}: {wrong.strerror}") from None


def searched(
    tasks: Sequence[Task],
    jobs: int,
    master: str | None = None,
    kept: SavedOutcomes | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[SearchOutcome]:
    """The outcomes of searches made side by side, in the order of the tasks.

    Searches in `kept` are not repeated, and new outcomes are added to it at once. `progress` gets
    the number of finished searches and of all. Raises the errors of `side_by_side`.
    """
    found = [kept.outcome(task) if kept is not None else None for task in tasks]
    outcomes = {number: outcome for number, outcome in enumerate(found) if outcome is not None}
    left = [number for number in range(len(tasks)) if number not in outcomes]
    for place, outcome in side_by_side([tasks[number] for number in left], jobs, master):
        outcomes[left[place]] = outcome
        if kept is not None:
            kept.add(tasks[left[place]], outcome)
        if progress:
            progress(len(outcomes), len(tasks))
    return [outcomes[number] for number in range(len(tasks))]


def _read(held: Mapping[str, Any]) -> SearchOutcome:
    judged = [Judged(**p) for p in held["properties"]]
    properties = tuple(replace(found, steps=tuple(found.steps)) for found in judged)
    return replace(SearchOutcome(**held), properties=properties)


def _sources(target: str) -> str:
    """A digest of the files of a design, and of its name, which selects the spec."""
    design = load_target(target, {})
    files = set(design.files)
    if design.path is not None:
        files.add(design.path)
    digest = hashlib.sha256(design.name.encode())
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()
