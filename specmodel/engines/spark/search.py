"""Exhaustive breadth-first search on Spark: levels, limits, and the result.

The driver runs a level as stages of tasks, reads their reports, and makes the level count by a
record in the run directory. It runs the stages of small levels itself. So the result is the same as
that of the native engine, and a search that ends for any reason continues from its last record.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from specmodel.design import Design
from specmodel.engines.native.coverage_counts import KernelCoverage
from specmodel.engines.native.kernel_search import KernelSearch
from specmodel.engines.native.loop.sampling import Rows, in_turn, merge
from specmodel.engines.native.saving import SpaceSaver
from specmodel.engines.spark.exchange import Exchange, run_here
from specmodel.engines.spark.expander import Expander, Expansion, Words
from specmodel.engines.spark.failures import readable_failure
from specmodel.engines.spark.log import StateLog
from specmodel.engines.spark.run_directory import RunDirectory
from specmodel.engines.spark.saving import RunSaver
from specmodel.engines.spark.sent_design import design_to_send
from specmodel.engines.spark.session import on_one_machine, session
from specmodel.engines.spark.shard_tasks import (
    Begin,
    Clear,
    Expand,
    FindSource,
    Insert,
    LevelReports,
    NothingNew,
    ShardReport,
    Work,
    release,
    use_here,
)
from specmodel.errors import DamagedRun, SpecmodelError, UsageError
from specmodel.kernel.context import least
from specmodel.results import Options, Progress, Result
from specmodel.space.identity import identity_of
from specmodel.space.manifest import manifest_of
from specmodel.space.verdicts import write_verdicts

SHARDS_A_SLOT = 1
"""Shards of a new run for each slot, a task that can run at a time."""

LEAST_GROWTH = 1.2
"""The least growth that is expected of the next level."""

FIRST_GROWTH = 4.0

TOGETHER = 1_000_000
"""Up to this number of states, or half of those found, one job makes several levels: if the search
ends at the first of them, the others were made in vain."""

MOST_TOGETHER = 4
"""The most levels that one job makes."""

MOST_HERE = 2_000_000
"""Up to this number of states of all levels, the driver searches small levels of a cluster's run:
it reads all of them. On one machine, the tables are at hand."""

TRACED_HERE = 200_000
"""Up to this number of states, the driver itself searches a level to make a trace."""


def search(design: Design, options: Options) -> Result:
    """Explores a design exhaustively.

    Raises SpecFailure, with a trace, if the spec itself fails.
    """
    return _SparkSearch(design, options).run()


class _SparkSearch(KernelSearch):
    engine = "spark"
    poll_every = 0.05
    progress_every = 0.5

    def __init__(self, design: Design, options: Options) -> None:
        super().__init__(design, options)
        sent_design = design_to_send(design, self.rules, self.kernel.program, self.symmetric)
        if options.run is None and not on_one_machine(options.master):
            raise UsageError(
                "on a cluster a search needs --run, a folder or URL that all its machines can reach"
            )
        self.session = session(options.master, max(1, options.workers))
        shards = max(2, self.session.slots * SHARDS_A_SLOT)
        identity = identity_of(design, options, self.kernel)
        manifest = manifest_of(design, identity, self.rules, self.engine, shards)
        self.run_directory = RunDirectory(options.run, manifest, options.remark)
        self._saver: RunSaver | None = None
        try:
            if options.save_space is not None:
                self._saver = RunSaver(
                    options.save_space, design, options, self.kernel, self.run_directory
                )
        except BaseException:
            self.run_directory.close()
            raise
        self.shards = self.run_directory.shards
        self.log = StateLog(self.run_directory.path, self.layout.words)
        self.work = Work(
            sent_design=self.session.context.broadcast(sent_design),
            key=self.run_directory.key,
            run=str(self.run_directory.path.resolve()),
            shards=self.shards,
            deadlock=self.deadlock,
            tables=self.session.tables,
        )
        self.spread = self.session.spread
        self.expander = Expander(self.kernel, self.shards, self.deadlock)
        self.exchange: Exchange | None = None
        self.workers = self.session.slots
        self.found = 0
        self.taken = [0] * len(design.spec.rules)
        self.unreduced = 0
        self.drawn: Rows = {}
        self.ahead: list[LevelReports] = []
        """The reports about the next levels: they are made, and do not count yet."""
        self.ahead_ignored: tuple[int, ...] = ()
        """The findings that were ignored when these levels were made."""
        self.coverage_counts = KernelCoverage(self.kernel, self.rules, everything=False, threads=1)
        self.restart_clock()

    # Beginning and end

    def halt(self) -> None:
        if self.exchange is not None and not self.over:  # then Spark is still working for findings
            self.exchange.cancel(self.work.key)

    def finish(self) -> None:
        if not self.stopped and self.run_directory.whole != self.depth:
            self.run_directory.ended(self.depth)

    def close(self) -> None:
        release(self.work)
        shutil.rmtree(self.work.folder, ignore_errors=True)
        if self.exchange is not None:
            with contextlib.suppress(Exception):  # Spark is gone: files in a temporary folder stay
                self.exchange.run([Clear(self.work)], self.work.key, "remove tables")
                self.exchange.close()
        self.run_directory.close()

    # Levels

    def restore(self) -> int | None:
        """Continues from the last level on record."""
        records = self.run_directory.whole_levels(self.log.words)
        if not records:
            return None
        last = records[-1]
        self.depth = len(records) - 1
        self.levels = [record["states"] for record in records[:-1]]
        self.initial, self.taken = last["initial"], last["fired"]
        self.found = self.resumed = last["distinct"]
        self.unreduced, self.seconds_before = last["fewer"], last["seconds"]
        self.findings.restore(last["hits"])
        return last["states"]

    def seed(self) -> int:
        packed: dict[int, list[bytes]] = {}
        for shard, some in self.expander.packed(self.initial_states()):
            packed.setdefault(shard, []).append(some)
        seen = Expansion()
        self.expander.noted(seen)
        states = sum(map(len, chain.from_iterable(packed.values()))) // (8 * self.log.words)
        reports = self._run(
            [Begin(self._insert(0, (), False), packed)], "initial states", self._small(states)
        )
        if reports is None:
            return 0
        level = self._said(reports, 0)
        level.expansions = [Expansion(found=seen.found)]
        return self._take(level, 0)

    def advance(self) -> Sequence[int]:
        """Expands the present level, and inserts the next."""
        level, ignored = self.depth, tuple(self.findings.hits)
        if not self.ahead or self.ahead_ignored != ignored:
            here = self._small(self.reached * self._growth())
            stages = [Expand(self.work, level - 1, ignored), *self._stages(level, ignored, here)]
            reports = self._run(stages, f"level {level}", here)
            if reports is None:
                return [0]
            self.ahead = [self._said(reports, n) for n in range(level, level + len(stages) - 1)]
            self.ahead_ignored = ignored
        return [self._take(self.ahead.pop(0), level)]

    def _stages(self, level: int, ignored: tuple[int, ...], here: bool) -> list[Any]:
        """The stages that insert the states of one level after the other, from a level on."""
        if self.run_directory.whole == level:  # from the run that has ended
            return [NothingNew(level)]
        end = level + (1 if here else self._together())
        return [self._insert(n, ignored, n + 1 < end) for n in range(level, end)]

    def _together(self) -> int:
        """The number of levels that one job makes: several small ones, within the limits."""
        growth, most = self._growth(), self.options.max_states
        room = max(TOGETHER, self.found // 2)
        room = room if most is None else min(room, most - self.found)
        left = self.most_depth and self.most_depth - self.depth
        levels, states = 1, self.reached * growth
        while levels < min(MOST_TOGETHER, left or MOST_TOGETHER):
            states += self.reached * growth ** (levels + 1)
            if states > room:
                break
            levels += 1
        return levels

    def spread_out(self) -> Exchange:
        """The exchange, made when something is first spread over tasks."""
        if self.exchange is None:
            self.exchange = Exchange(self.session, self.shards)
        return self.exchange

    def _insert(self, level: int, ignored: tuple[int, ...], expands: bool) -> Insert:
        """The stage that inserts the states of a level, and may expand them."""
        counts = self.coverage_counts.going
        return Insert(self.work, level, ignored, counts, self.sample_size, expands)

    def _growth(self) -> float:
        """The expected growth of the next level."""
        before = self.levels[-2] if len(self.levels) > 1 else 0
        return max(LEAST_GROWTH, self.reached / before if before else FIRST_GROWTH)

    def _small(self, states: float) -> bool:
        """Whether a level of so many states is searched by the driver itself."""
        return states < self.spread and (self.session.local or self.found <= MOST_HERE)

    def _said(self, reports: Sequence[ShardReport], level: int) -> LevelReports:
        """The reports of a level, and of the expansion that led to it."""
        reports = [report for report in reports if report.level == level]
        of_level = {report.shard: report for report in reports if report.inserted}
        if len(of_level) != self.shards:
            raise AssertionError(f"{len(of_level)} of {self.shards} shards tell of a level")
        return LevelReports(
            [of_level[shard].states for shard in range(self.shards)],
            {name: one for report in of_level.values() for name, one in report.files.items()},
            [report.checked for report in of_level.values()],
            [report.counted for report in of_level.values()],
            [report.sampled for report in of_level.values()],
            [report.expansion for report in reports if report.expansion],
        )

    def _take(self, said: LevelReports, level: int) -> int:
        """Records the findings of a level, and makes it count; returns its number of states."""
        found = least([*said.checked, *(e.found for e in said.expansions)])
        self.findings.take(found, level)
        for expansion in said.expansions:
            if expansion.fired:
                self.taken = [a + b for a, b in zip(self.taken, expansion.fired, strict=True)]
            self.unreduced += expansion.fewer
        if self.coverage_counts.going:
            self.coverage_counts.take(said.counted, said.states)
        for rows in said.sampled:
            merge(self.drawn, rows)
        self.found += said.states
        if said.states or not level:
            self.run_directory.commit(level, self._record(said), said.files)
        return said.states

    def _record(self, said: LevelReports) -> dict[str, Any]:
        """The record of a level, with all totals up to it."""
        return {
            "states": said.states,
            "shards": said.shards,
            "distinct": self.found,
            "generated": self.initial + sum(self.taken),
            "initial": self.initial,
            "fired": self.taken,
            "fewer": self.unreduced,
            "hits": list(self.findings.noted()),
            "seconds": self.seconds,
        }

    def _run(self, stages: Sequence[Any], description: str, here: bool) -> list[Any] | None:
        """The output of stages; None if the search was stopped meanwhile."""
        if here:
            with contextlib.suppress(OSError, SpecmodelError):  # Spark tries again, and tells of it
                return self._here(stages)
        release(self.work)
        try:
            return self.spread_out().run(
                stages, self.work.key, f"{self.design.name}: {description}"
            )
        except Exception as wrong:
            if self.stopped:
                return None
            trouble = readable_failure(wrong, self.session, self.run_directory)
            if trouble.stopped:
                self.stopped = trouble.stopped
                self.remark(str(trouble))
                return None
            raise trouble from None

    def _here(self, stages: Sequence[Any]) -> list[Any]:
        """The output of stages that the driver runs."""
        use_here(self.work, self.expander)
        return run_here(stages, self.shards)

    # Facts about the states

    def distinct(self) -> int:
        return self.found

    def fired(self) -> Sequence[int]:
        return self.taken

    def fewer(self) -> int:
        return self.unreduced

    def sampled_states(self, everything: bool) -> Iterator[Words]:
        """The sample that tasks have drawn, or all states, from the log."""
        if not everything:
            yield from in_turn(self.drawn)
            return
        for level in range(self.depth):
            for shard in range(self.shards):
                for chunk in self.log.read(level, shard, self.expander.pool):
                    yield from chunk.states()
                    self.expander.pool.give(chunk)

    def predecessor(self, words: Words, level: int) -> Words:
        stages = [FindSource(self.work, level, words)]
        if self.levels[level] <= TRACED_HERE:
            found = self._here(stages)
        else:
            description = f"{self.design.name}: trace, level {level}"
            found = self.spread_out().run(stages, self.work.key, description)
        return min(source for source in found if source is not None)

    # The space

    def saver(self) -> SpaceSaver | None:
        return self._saver

    def save(self) -> None:
        self.findings.begun = self.begun
        assert self._saver is not None
        generated = None if self.stopped else self.initial + sum(self.taken)
        try:
            self._saver.save(self.spread_out(), self.work, self.findings, generated, self.poll)
        except (OSError, SpecmodelError):
            raise
        except Exception as wrong:  # Spark and Java raise errors of many classes
            raise readable_failure(wrong, self.session, self.run_directory) from None

    # The result

    def progress(self) -> Progress:
        left = self.exchange.left() if self.exchange is not None else 1.0
        saving = self._saver is not None and self.ended is not None
        return replace(
            super().progress(),
            frontier=int(self.reached * left),
            saved=self._saver.states_by(1 - left) if self._saver and saving else None,
        )

    def result(self) -> Result:
        kept = self.run_directory.kept and self.stopped
        return replace(super().result(), checkpoint=self.run_directory.path if kept else None)

    def with_space(self, result: Result) -> Result:
        if self.run_directory.kept:
            with contextlib.suppress(OSError, DamagedRun):  # a later run writes it again
                write_verdicts(self.run_directory.files, result, self.depth)
        return super().with_space(result)
