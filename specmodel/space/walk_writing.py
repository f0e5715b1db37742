"""Writes the tables of a simulation into a folder: walks as they end, the rest at the end."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.results import Simulation
from specmodel.results.plain import members
from specmodel.space.arrow import arrow
from specmodel.space.files import RunFiles, named, seal, write_json
from specmodel.space.tables import bindings_table
from specmodel.space.verdicts import VERDICTS
from specmodel.space.walk_manifest import (
    ENDS,
    TABLES,
    WalkManifest,
    report_file,
    table_file,
)
from specmodel.space.writing import Part, write_table
from specmodel.walks.novelty import Known, novelty
from specmodel.walks.plan import WalkPlan
from specmodel.walks.totals import ENDING_BITS, WalkTotals


class WalkSaver:
    """Saves the walks of one simulation. Replaces earlier walks in the folder."""

    def __init__(self, folder: Path, manifest: WalkManifest, plan: WalkPlan) -> None:
        self.folder = folder
        self.manifest = manifest
        self.plan = plan
        self._part = Part(table_file(folder, "walks"), {"end": ENDS})
        self._lengths = np.zeros(0, np.int64)
        self._after: list[tuple[int, int]] = []
        self._steps = 0
        self._ends = (end for _, end in plan.rounds())
        self._next = next(self._ends, 0)

    def begin(self) -> None:
        """Removes earlier walks, beginning with the file that makes them count. Raises OSError."""
        self.manifest.write(self.folder)
        report_file(self.folder).unlink(missing_ok=True)
        for name in TABLES:
            table_file(self.folder, name).unlink(missing_ok=True)
        for left in self.folder.glob(".*.part"):  # left by a process that was killed
            left.unlink()

    def add(self, first: int, endings: array[int]) -> None:
        """Adds how walks ended, from the number `first` on. Raises OSError."""
        if not endings:
            return
        codes = np.frombuffer(endings, np.int64)
        ended = np.flatnonzero(codes)
        states = codes >> ENDING_BITS
        self._note(first, np.where(codes, states - 1, 0), len(ended) == len(codes))
        self._part.add(
            {
                "walk": ended + first,
                "states": states[ended],
                "end": (codes[ended] & (1 << ENDING_BITS) - 1) - 1,
            }
        )
        counts = np.bincount(states[ended], minlength=len(self._lengths))
        counts[: len(self._lengths)] += self._lengths
        self._lengths = counts

    def finish(self, found: Simulation, totals: WalkTotals) -> None:
        """Writes the tables of the results of all walks, and the report. Raises OSError."""
        if self._part.rows:
            self._part.close()
        else:
            kinds = {"walk": "int64", "states": "int64", "end": "string"}
            self._write("walks", {column: (kind, ()) for column, kind in kinds.items()})
        self._write("coverage", _coverage(totals), bindings_table(self.manifest.bindings))
        self._write("actions", _actions(found.coverage, totals))
        states = np.flatnonzero(self._lengths)
        self._write(
            "depths", {"states": ("int64", states), "walks": ("int64", self._lengths[states])}
        )
        after = [at for at in self._after if at[0] < totals.ended]
        known = novelty(totals.sample, self.plan, after, (totals.ended, totals.steps))
        self._write("novelty", _novelty(list(known)))
        self._write("violations", _violations(found))
        write_json(report_file(self.folder), _report(found))
        tables = [table_file(self.folder, name) for name in TABLES]
        files = named(self.folder, [*tables, report_file(self.folder)])
        seal(RunFiles(self.folder).manifest, files)

    def give_up(self) -> None:
        """Removes the files that were written."""
        self._part.abandon()

    def _note(self, first: int, steps: NDArray[np.int64], whole: bool) -> None:
        """Notes the number of steps up to the end of each of the plan's own rounds."""
        made = self._steps + np.cumsum(steps)
        while whole and first < self._next <= first + len(steps):
            self._after.append((self._next, int(made[self._next - first - 1])))
            self._next = next(self._ends, 0)
        self._steps = int(made[-1])

    def _write(self, name: str, columns: Columns, before: Mapping[str, Any] = {}) -> None:
        """Writes a table: first the Arrow columns `before`, then `columns`."""
        held = {
            column: arrow().array(values, getattr(arrow(), kind)())
            for column, (kind, values) in columns.items()
        }
        write_table(table_file(self.folder, name), arrow().table({**before, **held}))


Columns = dict[str, tuple[str, Any]]
"""Kinds and values of columns."""


def _coverage(totals: WalkTotals) -> Columns:
    return {
        "fired": ("int64", totals.taken),
        "share": ("float64", _shares(totals.taken, totals.steps)),
        "walks": ("int64", totals.spread[: len(totals.taken)]),
    }


def _actions(fired: Mapping[str, int], totals: WalkTotals) -> Columns:
    return {
        "action": ("string", list(fired)),
        "fired": ("int64", list(fired.values())),
        "share": ("float64", _shares(list(fired.values()), totals.steps)),
        "walks": ("int64", totals.spread[len(totals.taken) :]),
    }


def _shares(fired: Sequence[int], steps: int) -> list[float]:
    return [times / steps if steps else 0.0 for times in fired]


def _novelty(known: Sequence[Known]) -> Columns:
    touched = [at.touched for at in known]
    return {
        "walks": ("int64", [at.walks for at in known]),
        "steps": ("int64", [at.steps for at in known]),
        "states": ("int64", [t.states for t in touched]),
        "new_states": ("int64", [at.new for at in known]),
        "share": ("float64", [t.share for t in touched]),
        "sampled": ("int64", [t.sampled for t in touched]),
        "once": ("int64", [t.once for t in touched]),
        "twice": ("int64", [t.twice for t in touched]),
        "new_a_walk": ("float64", [t.new_a_walk for t in touched]),
        "least": ("float64", [t.least for t in touched]),
    }


def _violations(found: Simulation) -> Columns:
    broken = [judged for judged in found.properties if judged.verdict == "violated"]
    return {
        "property": ("string", [judged.name for judged in broken]),
        "kind": ("string", [judged.kind for judged in broken]),
        "walk": ("int64", [found.walk] * len(broken)),
        "states": ("int64", [found.walk_length] * len(broken)),
        "trace_length": ("int64", [judged.trace_length for judged in broken]),
        "shortest": ("bool_", [judged.name in found.shortest for judged in broken]),
    }


def _report(found: Simulation) -> dict[str, Any]:
    """The result of the walks.

    Times and workers are those of one run; the rest follows from the plan.
    """
    names = "verdict stopped? walks steps cut longest properties workers"
    return {**members(found, names, VERDICTS), "seconds": found.seconds}
