"""Saves the space of a run on Spark, out of its log: levels of states, the steps between them.

It is a pass of its own after the search, so a run that has ended long ago is as good as one that
just has. A job saves a level, or several small ones, and a level counts by its record, as in the
log. An attempt that goes on with what another has left does the last level of that again.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from specmodel.design import Design
from specmodel.engines.native.findings import Findings
from specmodel.engines.native.saving import broken_steps, claimed
from specmodel.engines.spark.exchange import Exchange
from specmodel.engines.spark.rundir import RunDirectory
from specmodel.engines.spark.saving_work import BrokenAt, Saving, SendSteps, WriteSpace, Written
from specmodel.engines.spark.session import Session
from specmodel.engines.spark.trouble import understood
from specmodel.engines.spark.work import Clear, Work
from specmodel.errors import SpecmodelError, UsageError
from specmodel.kernel.graphs import GraphKernel
from specmodel.kernel.kernel import Kernel
from specmodel.lang.spec import Rule
from specmodel.liveness.formulas import invariants
from specmodel.results import DEADLOCK, Options, Result
from specmodel.space.files import STATES, DamagedRun, RunFiles, read_json, refuse_changed
from specmodel.space.manifest import Manifest
from specmodel.space.verdicts import write_verdicts

STATES_AT_ONCE = 400_000
"""States that the levels of one job have in all, if they are more than one."""

LEVELS_AT_ONCE = 64


def open_saver(
    design: Design,
    options: Options,
    kernel: Kernel,
    rules: Sequence[Rule],
    deadlock: bool,
    run: RunDirectory,
) -> SpaceSaver | None:
    """What the options ask for; None if that is nothing. Raises UsageError, DamagedRun."""
    folder = options.save_space
    if folder is None:
        return None
    manifest = claimed(folder, design, options, kernel, deadlock, "spark", run.shards)
    return SpaceSaver(folder, manifest, design, kernel, rules, run, options.remark)


class SpaceSaver:
    """Saves the space of one run. `saved` levels and `states` of it are there so far.

    `records` are those of the log's levels, `totals` the steps and initial states up to each, and
    beyond the last if that has been expanded.
    """

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        design: Design,
        kernel: Kernel,
        rules: Sequence[Rule],
        run: RunDirectory,
        remark: Callable[[str], None] | None,
    ) -> None:
        self.files = RunFiles(folder)
        self.manifest = manifest
        self.design = design
        self.run = run
        self.remark = remark
        self.saved = 0
        self.states = 0
        self._at_work = 0
        self.records: list[dict[str, Any]] = []
        self.totals: list[int] = []
        self.stopped = ""
        self.whole = False
        # For the tasks on this machine, which otherwise would all compile the same at once.
        GraphKernel(design.spec, invariants(rules), symmetric=kernel.symmetric)

    def stop(self, why: str) -> None:
        """Ends it as soon as can be; whoever asks cancels what runs on Spark."""
        self.stopped = self.stopped or why

    def states_by(self, part: float) -> int:
        """How many states are saved if such a part of the job that runs just now is done."""
        return self.states + int(self._at_work * part)

    def save(
        self,
        session: Session,
        exchange: Exchange,
        work: Work,
        findings: Findings,
        generated: int | None,
    ) -> None:
        """Writes all levels on record, and the steps out of them.

        `generated` are all steps of the search and its initial states; None unless it is complete:
        then those out of the last level are not known. What keeps it from that is remarked on; the
        levels that are written by then count.
        """
        try:
            self._save(exchange, work, findings, generated)
            self.whole = True
        except OSError as wrong:
            self._give_up(self.stopped or wrong.strerror or str(wrong))
        except SpecmodelError as wrong:
            self._give_up(self.stopped or str(wrong))
        except Exception as wrong:  # Spark's and Java's are of many kinds
            self._give_up(self.stopped or str(understood(wrong, session, self.run)))

    def finish(self, result: Result) -> Result:
        """The result, which goes to the space as well, if that is saved."""
        if not self.whole:
            return result
        try:
            write_verdicts(self.files, result, self.saved)
        except OSError as wrong:
            self._give_up(wrong.strerror or str(wrong))
            return result
        return replace(result, saved=self.files.folder)

    def _give_up(self, why: str) -> None:
        if self.remark is not None:
            there = f"({self.saved} of {len(self.records)} levels are there)"
            there += "; the same command goes on from there" if self.run.kept else ""
            self.remark(f"the space is not saved in {self.files.folder}: {why} {there}")

    def _save(
        self, exchange: Exchange, work: Work, findings: Findings, generated: int | None
    ) -> None:
        self.records = self.run.files.committed()
        if not self.records:
            raise SpecmodelError("no level is whole")
        self.totals = [record["generated"] for record in self.records]
        self.totals += [] if generated is None else [generated]
        kept = self._kept()
        self.files.clear(kept)
        if not kept:
            self.manifest.write(self.files.folder)
        exchange.run([Clear(work)], work.key, f"{self.design.name}: remove tables")
        if not self._levels(exchange, self._saving(work, findings, judged=True), kept):
            # An invariant fails in a state behind the first that breaks one: none is told of then.
            self.files.clear()
            self._levels(exchange, self._saving(work, findings, judged=False), 0)
        self.files.sweep()

    def _saving(self, work: Work, findings: Findings, judged: bool) -> Saving:
        """What tasks are told."""
        return Saving(
            key=uuid.uuid4().hex,
            work=work,
            log=self.run.log_key,
            space=str(self.files.folder.resolve()),
            levels=len(self.records),
            expanded=len(self.totals) - 1,
            deadlock=self.manifest.numbers.get(DEADLOCK),
            broken=tuple(
                BrokenAt(self.manifest.numbers[step.rule], step.words, step.level, step.binding)
                for step in broken_steps(findings)
            ),
            judged=judged,
            bounded=bool(self.design.spec.bounds),
        )

    def _levels(self, exchange: Exchange, saving: Saving, kept: int) -> bool:
        """Writes levels behind those that are kept; False if an invariant fails in a state."""
        sizes = [record["states"] for record in self.records]
        self.saved, self.states = kept, sum(sizes[:kept])
        first = max(0, kept - 1) if kept < len(sizes) else kept
        self.files.drop(first)  # its steps are written again, maybe in another order
        for start, stop in _jobs(sizes, first):
            if self.stopped:
                raise SpecmodelError(self.stopped)
            self._at_work = sum(sizes[start:stop])
            to = f"s {start + 1} to {stop}" if stop > start + 1 else f" {stop}"
            stages = [SendSteps(saving, start, stop), WriteSpace(saving, start, stop)]
            told: list[Written] = exchange.run(
                stages, saving.work.key, f"{self.design.name}: save level{to}"
            )
            if any(written.failed for written in told):
                return False
            for level in range(start, stop):
                self._commit(saving, level, [w for w in told if w.level == level])
            self.states, self._at_work = sum(sizes[:stop]), 0
        return True

    def _commit(self, saving: Saving, level: int, told: Sequence[Written]) -> None:
        """Makes a level count, if it is what the search has seen. Raises SpecmodelError."""
        logged, expanded = self.records[level], level < saving.expanded
        record = {
            "states": logged["states"],
            **self._account(told),
            "expanded": expanded,
            "log": saving.log if saving.judged else None,
        }
        wanted = self.totals[level + 1] - self.totals[level] if expanded else 0
        if len(told) != saving.work.shards or record["generated"] != wanted:
            raise SpecmodelError(
                f"{record['generated']:,} steps out of level {level + 1}, where the search has "
                f"seen {wanted:,}: the log of the run in {self.run.path} is damaged"
            )
        self._refuse_unseen(level, logged["shards"])
        self.files.commit(level, record)
        self.saved = max(self.saved, level + 1)

    def _account(self, told: Sequence[Written]) -> dict[str, Any]:
        """The steps and violations that tasks have written, for a record."""
        actions = dict.fromkeys(self.manifest.actions, 0)
        violations: dict[str, int] = {}
        names = [found.name for found in self.manifest.properties]
        for written in told:
            for binding, fired in zip(self.manifest.bindings, written.fired, strict=False):
                actions[binding.action] += fired
            for number, states in written.violations.items():
                violations[names[number]] = violations.get(names[number], 0) + states
        return {
            "generated": sum(actions.values()),
            "actions": actions,
            "violations": violations,
        }

    def _refuse_unseen(self, level: int, shards: Sequence[int]) -> None:
        """Raises UsageError unless what tasks have written can be seen from here."""
        for shard, states in enumerate(shards):
            path = self.files.part(STATES, level, shard)
            if states and not path.exists():
                raise UsageError(
                    f"{path} has been written elsewhere: give --save-space a folder that all "
                    "machines have"
                )

    def _kept(self) -> int:
        """How many levels are there from an earlier attempt, of the same log."""
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
    """Levels from one on, in runs of as many as one job saves: the first and the one behind."""
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
