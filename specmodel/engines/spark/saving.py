"""Saves the space of a run on Spark, from its log: levels of states, the steps between them.

Saving is a pass of its own after the search, so it works for a run that ended long ago. A job saves
a level, or several small ones. A level counts by its record, as in the log. An attempt that
continues an earlier one repeats the last level of it.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from specmodel.design import Design
from specmodel.engines.base.findings import Findings
from specmodel.engines.native.saving import SpaceSaver, broken_steps
from specmodel.engines.spark.exchange import Exchange
from specmodel.engines.spark.run_directory import RunDirectory
from specmodel.engines.spark.saving_tasks import Saving, SendSteps, WriteSpace, Written
from specmodel.engines.spark.shard_tasks import Clear, Work
from specmodel.errors import DamagedRun, SpecmodelError, UsageError
from specmodel.kernel.kernel import Kernel
from specmodel.liveness.graph import Poll
from specmodel.results import DEADLOCK, Options
from specmodel.space.files import STATES, read_json, refuse_changed

STATES_AT_ONCE = 400_000
"""The greatest number of states of the levels of one job, if they are more than one."""

LEVELS_AT_ONCE = 64


class RunSaver(SpaceSaver):
    """Saves the space of one run. So far, `saved` levels and `states` of it are written.

    `records` are those of the log's levels. `totals` are the numbers of steps and initial states up
    to each level, and beyond the last one if that has been expanded.
    """

    def __init__(
        self, folder: Path, design: Design, options: Options, kernel: Kernel, run: RunDirectory
    ) -> None:
        # Compiles once for the tasks on this machine, which otherwise would all compile at once.
        super().__init__(folder, design, options, kernel, "spark", run.shards)
        self.run = run
        self.states = 0
        self._at_work = 0
        self.records: list[dict[str, Any]] = []
        self.totals: list[int] = []

    @property
    def later(self) -> str:
        return "; the same command goes on from there" if self.run.kept else ""

    def states_by(self, part: float) -> int:
        """The number of states that are saved when this part of the running job is done."""
        return self.states + int(self._at_work * part)

    def save(
        self,
        exchange: Exchange,
        work: Work,
        findings: Findings,
        generated: int | None,
        poll: Poll,
    ) -> None:
        """Writes all levels on record, and the steps out of them.

        `generated` is the number of all steps of the search and its initial states; None unless the
        search is complete: then the steps out of the last level are not known. Raises the errors of
        Spark, OSError, SpecmodelError, and the errors of `poll` between jobs; the levels written so
        far then count.
        """
        self.records = self.run.files.committed()
        self.levels = len(self.records)
        if not self.records:
            raise SpecmodelError("no level is whole")
        self.totals = [record["generated"] for record in self.records]
        self.totals += [] if generated is None else [generated]
        kept = self._kept()
        self.files.clear(kept)
        if not kept:
            self.manifest.write(self.files.folder)
        exchange.run([Clear(work)], work.key, f"{self.design.name}: remove tables")
        if not self._write(exchange, self._saving(work, findings, judged=True), kept, poll):
            # An invariant fails in a state after the first violation: then no state is marked as
            # violating.
            self.files.clear()
            self._write(exchange, self._saving(work, findings, judged=False), 0, poll)
        self.files.sweep()

    def _saving(self, work: Work, findings: Findings, judged: bool) -> Saving:
        """The settings for the tasks."""
        return Saving(
            key=uuid.uuid4().hex,
            work=work,
            log=self.run.log_key,
            space=str(self.files.folder.resolve()),
            levels=len(self.records),
            expanded=len(self.totals) - 1,
            deadlock=self.manifest.numbers.get(DEADLOCK),
            broken=broken_steps(findings, self.manifest.numbers),
            judged=judged,
            bounded=bool(self.design.spec.bounds),
        )

    def _write(self, exchange: Exchange, saving: Saving, kept: int, poll: Poll) -> bool:
        """Writes levels after the first `kept`; returns False if an invariant fails in a state."""
        sizes = [record["states"] for record in self.records]
        self.saved, self.states = kept, sum(sizes[:kept])
        first = max(0, kept - 1) if kept < len(sizes) else kept
        self.files.drop(first)  # its steps are written again, perhaps in another order
        for start, stop in _jobs(sizes, first):
            poll()
            self._at_work = sum(sizes[start:stop])
            to = f"s {start + 1} to {stop}" if stop > start + 1 else f" {stop}"
            stages = [SendSteps(saving, start, stop), WriteSpace(saving, start, stop)]
            results: list[Written] = exchange.run(
                stages, saving.work.key, f"{self.design.name}: save level{to}"
            )
            if any(written.failed for written in results):
                return False
            for level in range(start, stop):
                self._commit(saving, level, [w for w in results if w.level == level])
            self.states, self._at_work = sum(sizes[:stop]), 0
        return True

    def _commit(self, saving: Saving, level: int, results: Sequence[Written]) -> None:
        """Makes a level count, if it agrees with the search. Raises SpecmodelError."""
        logged, expanded = self.records[level], level < saving.expanded
        violations: Counter[int] = Counter()
        for written in results:
            violations.update(written.violations)
        fired = map(sum, zip(*(written.fired for written in results), strict=True))
        record = {
            "states": logged["states"],
            **self.account(fired, violations),
            "expanded": expanded,
            "log": saving.log if saving.judged else None,
        }
        wanted = self.totals[level + 1] - self.totals[level] if expanded else 0
        if len(results) != saving.work.shards or record["generated"] != wanted:
            raise SpecmodelError(
                f"{record['generated']:,} steps out of level {level + 1}, where the search has "
                f"seen {wanted:,}: the log of the run in {self.run.path} is damaged"
            )
        self._refuse_unseen(level, logged["shards"])
        self.files.commit(level, record)
        self.saved = max(self.saved, level + 1)

    def _refuse_unseen(self, level: int, shards: Sequence[int]) -> None:
        """Raises UsageError unless the driver can see the files that the tasks have written."""
        for shard, states in enumerate(shards):
            path = self.files.part(STATES, level, shard)
            if states and not path.exists():
                raise UsageError(
                    f"{path} has been written elsewhere: give --save-space a folder that all "
                    "machines have"
                )

    def _kept(self) -> int:
        """The number of levels from an earlier attempt, of the same log."""
        before = read_json(self.files.manifest)
        now = json.loads(json.dumps(asdict(self.manifest)))
        if before is None or any(before.get(key) != value for key, value in now.items()):
            return 0
        kept = 0
        for level, record in enumerate(self.files.committed()[: len(self.records)]):
            mine = record.get("log") == self.run.log_key and record["expanded"]
            if not mine:
                break
            try:
                refuse_changed(self.files.folder, record["files"])
            except DamagedRun:
                break
            kept = level + 1
        return kept


def _jobs(sizes: Sequence[int], first: int) -> Iterator[tuple[int, int]]:
    """Levels from `first` on, in groups, one for each job: the first and the one after the last."""
    while first < len(sizes):
        stop, states = first + 1, sizes[first]
        while (
            stop < len(sizes)
            and stop < first + LEVELS_AT_ONCE
            and states + sizes[stop] <= STATES_AT_ONCE
        ):
            states += sizes[stop]
            stop += 1
        yield first, stop
        first = stop
