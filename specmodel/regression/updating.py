"""Rewrites the expectations of design files where a run has found another result."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

from specmodel.dataclass import dataclass
from specmodel.errors import UsageError
from specmodel.files import read_text
from specmodel.regression.running import CaseOutcome
from specmodel.regression.suites import Case, CoverageCase, RunCase
from specmodel.suite.rewriting import with_value


@dataclass(frozen=True)
class Update:
    """A design's file with its present text, its new text, and the cases that it corrects."""

    file: Path
    before: str
    after: str
    cases: tuple[str, ...]

    def diff(self) -> Iterator[str]:
        """The change, line by line, as a patch."""
        old, new = self.before.splitlines(), self.after.splitlines()
        yield from difflib.unified_diff(old, new, str(self.file), str(self.file), lineterm="")


def updates(entries: Iterable[tuple[Case, CaseOutcome]]) -> tuple[Update, ...]:
    """The files that would expect what was found. Nothing is written.

    Only mismatches are: a spec that fails, an incomplete run, a trace that no longer replays or
    success that means nothing is not made right by expecting it. Raises UsageError for a file
    whose form is not understood.
    """
    texts: dict[Path, str] = {}
    originals: dict[Path, str] = {}
    cases: dict[Path, list[str]] = {}
    for case, outcome in entries:
        if isinstance(case, CoverageCase) or outcome.status != "failed" or case.document is None:
            continue
        where = case.row.where if isinstance(case, RunCase) else case.where
        found = [p.mismatch for p in outcome.problems]
        file = case.document.path
        if file not in texts:
            texts[file] = originals[file] = read_text(file)
        for mismatch in found:
            if mismatch is None or mismatch.value is None:
                continue
            try:
                texts[file] = with_value(texts[file], (*where, *mismatch.where), mismatch.value)
            except UsageError as wrong:
                raise UsageError(f"{file}: {wrong}") from None
        if all(m is not None and m.value is not None for m in found):
            cases.setdefault(file, []).append(case.name)
    return tuple(
        Update(file, originals[file], text, tuple(cases.get(file, ())))
        for file, text in texts.items()
        if text != originals[file]
    )
