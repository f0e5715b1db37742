"""Compares the sizes of state spaces with those recorded on an earlier day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from specmodel.dataclass import dataclass
from specmodel.errors import UsageError
from specmodel.files import parsed_json, read_text
from specmodel.regression.running import CaseOutcome

VERSION = 1


@dataclass(frozen=True)
class Size:
    """The size of the state space of a case."""

    distinct: int
    generated: int
    depth: int


@dataclass(frozen=True)
class Baseline:
    """The sizes by name of case, and the day (YYYY-MM-DD) on which they were recorded."""

    recorded: str
    sizes: Mapping[str, Size]


@dataclass(frozen=True)
class SizeChange:
    """A case whose state space has another size than before. `grown` is in percent of distinct."""

    name: str
    before: Size
    after: Size

    @property
    def grown(self) -> float:
        """The growth in percent; below 0 if the space is smaller."""
        return 100 * (self.after.distinct - self.before.distinct) / max(self.before.distinct, 1)


def read_baseline(file: Path) -> Baseline:
    """Reads a baseline. Raises UsageError if the file is missing or not a baseline."""
    if not file.exists():
        raise UsageError(f"there is no baseline {file}: --update records one")
    held = parsed_json(read_text(file), str(file))
    try:
        if held["version"] != VERSION:
            raise UsageError(f"{file} is a baseline of version {held['version']}, not {VERSION}")
        listed = cast(dict[str, dict[str, int]], held["sizes"])
        sizes = {n: Size(s["distinct"], s["generated"], s["depth"]) for n, s in listed.items()}
        return Baseline(str(held["recorded"]), sizes)
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{file} is no baseline: --update writes one") from None


def sizes_of(outcomes: Iterable[CaseOutcome]) -> dict[str, Size]:
    """The sizes of the outcomes with a complete search."""
    return {o.name: Size(o.distinct, o.generated, o.depth) for o in outcomes if o.complete}


def growths(baseline: Baseline, sizes: Mapping[str, Size]) -> tuple[SizeChange, ...]:
    """The cases whose size differs from the baseline, in the order of `sizes`."""
    return tuple(
        SizeChange(name, baseline.sizes[name], size)
        for name, size in sizes.items()
        if baseline.sizes.get(name, size) != size
    )


def baseline_text(today: str, sizes: Mapping[str, Size], old: Baseline | None) -> str:
    """The text of a baseline: cases that did not run keep their size, and the order stays."""
    merged = {**(old.sizes if old else {}), **sizes}
    if old is not None and merged == old.sizes:
        today = old.recorded
    lines = [f"    {json.dumps(name)}: {json.dumps(vars(merged[name]))}" for name in sorted(merged)]
    listed = ",\n".join(lines)
    head = f'{{\n  "version": {VERSION},\n  "recorded": {json.dumps(today)},\n  "sizes": '
    return f"{head}{{\n{listed}\n  }}\n}}\n" if lines else f"{head}{{}}\n}}\n"
