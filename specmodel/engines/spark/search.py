"""Exhaustive breadth-first search on Spark: levels, limits, and what is reported.

The driver holds no states. It runs a level, or several small ones, as stages of tasks; takes their
accounts; and makes a level count by a record in the run directory. So what is reported is the same
as from the native engine, and a search that ends for any reason goes on from its last record.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from specmodel.design import Design
from specmodel.engines.interpret.orbits import interchangeable
from specmodel.engines.native.findings import Findings, Hit
from specmodel.engines.native.stores.identity import identity_of
from specmodel.engines.native.survey import Survey
from specmodel.engines.partial_order import refuse_unreducible
from specmodel.engines.spark.bench import Bench, Expansion, Words
from specmodel.engines.spark.exchange import Exchange
from specmodel.engines.spark.log import StateLog
from specmodel.engines.spark.parcel import parcel_of
from specmodel.engines.spark.rundir import RunDirectory
from specmodel.engines.spark.saving import open_saver
from specmodel.engines.spark.self_check import SparkChecker
from specmodel.engines.spark.session import session
from specmodel.engines.spark.trouble import understood
from specmodel.engines.spark.work import (
    Account,
    Begin,
    Clear,
    Expand,
    FindSource,
    Insert,
    LevelAccounts,
    NothingNew,
    Work,
)
from specmodel.errors import SpecmodelError, UsageError
from specmodel.interrupts import attend
from specmodel.ir import pace
from specmodel.kernel.context import Finding, least
from specmodel.kernel.kernel import Kernel
from specmodel.liveness.formulas import is_temporal
from specmodel.results import Options, Progress, Result, SelfCheck
from specmodel.results.coverage import unmet
from specmodel.selfcheck.run import examined
from specmodel.space.manifest import manifest_of
from specmodel.space.verdicts import write_verdicts

POLL = 0.05
"""Seconds between looks at the clock."""

PROGRESS_EVERY = 0.5
"""Seconds between reports of progress."""

SHARDS_A_SLOT = 1
"""Shards of a new run for each task that can run at a time."""

MOST_CHAINED = 8
"""Levels that are run as one job, while they are small."""

CHAINED_STATES = 400_000
"""States that the levels of one job may have in all, as far as one can tell."""

LEAST_GROWTH = 1.2
"""Levels are taken to grow at least so much when it is guessed how many fit into a job."""

FIRST_GROWTH = 4.0

HERE = 200_000
"""Levels of so many states are looked through by the driver itself when a trace is made."""


def search(design: Design, options: Options) -> Result:
    """Explore a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails."""
    return _Search(design, options).run()


class _Search:
    def __init__(self, design: Design, options: Options) -> None:
        self.design = design
        self.options = options
        self.rules = design.chosen(options.properties)
        temporal = [rule.name for rule in self.rules if is_temporal(rule)]
        if temporal:
            raise UsageError(
                f"{', '.join(temporal)} is temporal, which the spark engine does not decide: "
                "use --engine native, or name the properties to check with --invariant"
            )
        self.symmetric = interchangeable(design, self.rules) if options.symmetry else ()
        if options.partial_order:
            refuse_unreducible(design, self.rules, options)
        with pace.Clock(options.timeout).limiting("no state was searched"):
            self.kernel = Kernel(
                design.spec,
                self.rules,
                symmetric=self.symmetric,
                partial_order=options.partial_order,
            )
        self.findings = Findings(design, self.rules, self.kernel, self.symmetric, self._path)
        parcel = parcel_of(design, self.rules, self.kernel.program, self.symmetric)
        wanted = options.deadlock
        self.deadlock = design.spec.deadlock if wanted is None else wanted
        self.session = session(options.master, max(1, options.workers))
        if options.run is None and not self.session.local:
            raise UsageError(
                "on a cluster a search needs --run DIR, a folder that all its machines have"
            )
        shards = max(2, self.session.slots * SHARDS_A_SLOT)
        layout = self.kernel.program.layout
        identity = identity_of(design, options, self.kernel)
        manifest = manifest_of(design, identity, self.rules, "spark", shards)
        self.run_directory = RunDirectory(options.run, manifest)
        try:
            self.saver = open_saver(
                design, options, self.kernel, self.rules, self.deadlock, self.run_directory
            )
        except BaseException:
            self.run_directory.close()
            raise
        self.shards = self.run_directory.shards
        self.log = StateLog(self.run_directory.path, layout.words)
        self.work = Work(
            parcel=self.session.context.broadcast(parcel),
            key=self.run_directory.key,
            run=str(self.run_directory.path.resolve()),
            shards=self.shards,
            deadlock=self.deadlock,
            tables=self.session.tables,
        )
        self.bench = Bench(self.kernel, self.shards, self.deadlock)
        self.exchange: Exchange | None = None
        self.stopped = ""
        self.depth = 0
        self.initial = 0
        self.distinct = 0
        self.resumed = 0
        self.fired = [0] * len(design.spec.rules)
        self.fewer = 0
        self.checker = SparkChecker(design, options.self_check, self.rules, self.bench)
        self.survey = Survey(self.kernel, self.rules, everything=False, threads=1)
        self.levels: list[int] = []
        self.frontier = 0
        self.ahead: deque[LevelAccounts] = deque()
        self.seconds_before = 0.0
        self.ended: float | None = None
        self.over = False
        self.interrupts = 0
        self.started = self.reported = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time spent on the search, by the runs that this one goes on with as well."""
        ended = time.perf_counter() if self.ended is None else self.ended
        return self.seconds_before + ended - self.started

    @property
    def generated(self) -> int:
        """Initial states, and the steps of all that has been expanded."""
        return self.initial + sum(self.fired)

    def run(self) -> Result:
        """Searches in a thread of its own; this one looks after limits, progress and Ctrl-C."""
        return attend(self._explore, self._watch, self._interrupt, POLL)

    def _interrupt(self) -> None:
        self.interrupts += 1
        self._stop("interrupted")

    def _clear(self, exchange: Exchange) -> None:
        try:
            exchange.run([Clear(self.work)], self.work.key, "remove tables")
            exchange.close()
        except Exception:
            return  # Spark is gone; what is left are files in a folder for temporary ones

    def _stop(self, why: str) -> None:
        """Ends what runs as soon as can be, for a reason that it may have already."""
        if self.over:
            return
        if self.ended is None or self.saver is None:
            self.stopped = self.stopped or why
        else:
            self.saver.stop(why)  # the search itself has come to its end
        if self.exchange is not None:
            self.exchange.cancel(self.work.key)

    # Levels

    def _explore(self) -> Result:
        """Searches and tells; removes what only this search had a use for."""
        try:
            examined(self._levels, self._compared)
            compared = self._compared()
            self._save_space()
            self.over = True  # what is left to ask of Spark is for what has been found
            result = replace(examined(self._result, self._compared), self_check=compared)
            if self.run_directory.kept:
                with contextlib.suppress(OSError):  # who resumes the run writes it again
                    write_verdicts(self.run_directory.files, result, self.depth)
            return result if self.saver is None else self.saver.finish(result)
        finally:
            self.over = True
            if self.exchange is not None:
                self._clear(self.exchange)
            self.run_directory.close()

    def _compared(self) -> SelfCheck | None:
        """The self-check, in the states that have been met."""
        return self.checker.compare(
            self.log,
            self.depth,
            self.distinct,
            self.findings,
            self.seconds,
            lambda: self.interrupts,
        )

    def _levels(self) -> None:
        """Level after level, to the end or until something says stop."""
        self.exchange = Exchange(self.session, self.shards)
        if not self._restore() and not self._seed():
            return
        while self.frontier:
            self.depth += 1
            self.levels.append(self.frontier)
            if self.findings.violated and not self.options.keep_going:
                self.stopped = self.stopped or "violation"
            self.stopped = self.stopped or self._limit()
            if self.stopped or not self._advance():
                break
        if not self.stopped and self.run_directory.whole != self.depth:
            self.run_directory.ended(self.depth)

    def _save_space(self) -> None:
        """Saves the levels on record, if that is asked for."""
        self.ended = time.perf_counter()
        if self.saver is not None:
            assert self.exchange is not None
            generated = None if self.stopped else self.generated
            self.saver.save(self.session, self.exchange, self.work, self.findings, generated)

    def _restore(self) -> bool:
        """Goes on from the last level on record; False if there is none."""
        records = self.run_directory.whole_levels(self.log.words)
        if not records:
            return False
        last = records[-1]
        self.depth = len(records) - 1
        self.levels = [record["states"] for record in records[:-1]]
        self.frontier = last["states"]
        self.initial, self.fired = last["initial"], last["fired"]
        self.distinct = self.resumed = last["distinct"]
        self.fewer, self.seconds_before = last["fewer"], last["seconds"]
        for record, words, binding, level in last["hits"]:
            self.findings.hits[record] = Hit(Finding(tuple(words), binding), level)
        return True

    def _seed(self) -> bool:
        """Makes the initial states the first level. False: stopped before that."""
        layout = self.kernel.program.layout
        states = [layout.pack(state) for state in self.findings.interpreter.initial()]
        self.initial = len(states)
        if not states:
            raise SpecmodelError(f"{self.design.name} has no initial state")
        packed: dict[int, list[bytes]] = {}
        for shard, some in self.bench.packed(states):
            packed.setdefault(shard, []).append(some)
        seen = Expansion()
        self.bench.noted(seen)
        accounts = self._run(
            [Begin(self._insert(0, (), False), packed)],
            "initial states",
        )
        if accounts is None:
            return False
        level = self._said(accounts, 0)
        level.expansions = [Expansion(found=seen.found)]
        self._take(level, 0)
        return True

    def _advance(self) -> bool:
        """Expands the level reached, and takes in the next. False: stopped before that."""
        if not self.ahead:
            first, count = self.depth - 1, self._chained()
            ignored = tuple(self.findings.hits)
            stages: list[Any] = [Expand(self.work, first, ignored)]
            if self.run_directory.whole == self.depth:  # known from the run that has ended
                count, stages = 1, [*stages, NothingNew(self.work, self.depth)]
            else:
                stages += [self._insert(first + k, ignored, k < count) for k in range(1, count + 1)]
            last = f" to {first + count}" if count > 1 else ""
            accounts = self._run(stages, f"level {first + 1}{last}")
            if accounts is None:
                return False
            self.ahead.extend(self._said(accounts, first + k) for k in range(1, count + 1))
        self._take(self.ahead.popleft(), self.depth)
        return True

    def _insert(self, level: int, ignored: tuple[int, ...], expand: bool) -> Insert:
        """The stage that takes in the states of a level."""
        counting, sample = self.survey.going, self.checker.sample
        return Insert(self.work, level, ignored, expand, counting, sample)

    def _chained(self) -> int:
        """How many levels to run as one job."""
        before = self.levels[-2] if len(self.levels) > 1 else 0
        growth = max(LEAST_GROWTH, self.frontier / before if before else FIRST_GROWTH)
        count, expected = 0, self.frontier * growth
        most = MOST_CHAINED
        if self.options.max_depth is not None:
            most = min(most, self.options.max_depth - self.depth)
        while count < most and expected <= CHAINED_STATES:
            count += 1
            expected *= 1 + growth
        return max(1, count)

    def _said(self, accounts: Sequence[Account], level: int) -> LevelAccounts:
        """The accounts of a level and of the expansion that led to it."""
        of_level = {a.shard: a for a in accounts if a.level == level and a.inserted}
        if len(of_level) != self.shards:
            raise AssertionError(f"{len(of_level)} of {self.shards} shards tell of level {level}")
        return LevelAccounts(
            [of_level[shard].states for shard in range(self.shards)],
            [account.checked for account in of_level.values()],
            [account.counted for account in of_level.values()],
            [account.sampled for account in of_level.values()],
            [a.expansion for a in accounts if a.level == level - 1 and a.expansion],
        )

    def _take(self, said: LevelAccounts, level: int) -> None:
        """Takes in what was found at a level, and makes it count."""
        found = least([*said.checked, *(e.found for e in said.expansions)])
        known = len(self.findings.hits)
        self.findings.take(found, level)
        if len(self.findings.hits) > known:
            # In levels that were run ahead this was looked for, and may have failed: again, without
            # it. Their states are in the log.
            self.ahead.clear()
        for expansion in said.expansions:
            if expansion.fired:
                self.fired = [a + b for a, b in zip(self.fired, expansion.fired, strict=True)]
            self.fewer += expansion.fewer
        if self.survey.going:
            self.survey.take(said.counted, said.states)
        self.checker.take(said.sampled)
        self.distinct += said.states
        self.frontier = said.states
        if said.states or not level:
            self.run_directory.files.commit(level, self._record(said, level))

    def _record(self, said: LevelAccounts, level: int) -> dict[str, Any]:
        """A level as it is put on record, with all totals up to it."""
        return {
            "states": said.states,
            "shards": said.shards,
            "distinct": self.distinct,
            "generated": self.generated,
            "initial": self.initial,
            "fired": self.fired,
            "fewer": self.fewer,
            "hits": [
                [record, list(hit.finding.words), hit.finding.binding, hit.level]
                for record, hit in self.findings.hits.items()
            ],
            "seconds": self.seconds,
        }

    def _limit(self) -> str:
        options = self.options
        if options.max_states is not None and self.distinct >= options.max_states:
            return "max-states"
        if options.max_depth is not None and self.depth >= options.max_depth:
            return "max-depth"
        return ""

    def _run(self, stages: Sequence[Any], description: str) -> list[Any] | None:
        """What stages give; None if the search has been told to stop meanwhile."""
        assert self.exchange is not None
        try:
            return self.exchange.run(stages, self.work.key, f"{self.design.name}: {description}")
        except Exception as wrong:
            if self.stopped:
                return None
            trouble = understood(wrong, self.session, self.run_directory)
            if trouble.stopped:
                self.stopped = trouble.stopped
                if self.options.remark is not None:
                    self.options.remark(str(trouble))
                return None
            raise trouble from None

    def _watch(self) -> None:
        """Looks at the clock while Spark works."""
        spent = time.perf_counter() - self.started
        limit = self.options.timeout
        if limit is not None and spent > limit and self.stopped != "timeout":
            self._stop("timeout")
        if self.options.progress and time.perf_counter() - self.reported > PROGRESS_EVERY:
            self.reported = time.perf_counter()
            left = self.exchange.left() if self.exchange is not None else 1.0
            self.options.progress(
                Progress(
                    distinct=self.distinct,
                    generated=self.generated,
                    depth=self.depth,
                    frontier=int(self.frontier * left),
                    seconds=self.seconds,
                    memory=0,
                    levels=tuple(self.levels),
                    saved=self.saver.states_by(1 - left) if self.saver and self.ended else None,
                )
            )

    # What is reported

    def _path(self, words: Words, level: int) -> list[Words]:
        """States from an initial one to one of a level, each the least that leads to the next.

        Raises KeyboardInterrupt at one more Ctrl-C.
        """
        path, before = [words], self.interrupts
        for below in range(level - 1, -1, -1):
            if self.interrupts > before:
                raise KeyboardInterrupt
            path.append(self._predecessor(path[-1], below))
        return path[::-1]

    def _predecessor(self, words: Words, level: int) -> Words:
        found: list[Words | None]
        if self.levels[level] <= HERE or self.exchange is None:
            found = [
                self.bench.least_source(words, self.log.read(level, shard, self.bench.pool))
                for shard in range(self.shards)
            ]
        else:
            stage = FindSource(self.work, level, words)
            found = self.exchange.run(
                [stage], self.work.key, f"{self.design.name}: trace, level {level}"
            )
        return min(source for source in found if source is not None)

    def _result(self) -> Result:
        complete = not self.stopped
        folder = self.run_directory.path if self.run_directory.kept else None
        return Result(
            design=self.design.name,
            constants=self.design.values,
            engine="spark",
            workers=self.session.slots,
            complete=complete,
            distinct=self.distinct,
            generated=self.generated,
            depth=self.depth,
            seconds=self.seconds,
            properties=self.findings.properties(self.rules, complete, self.deadlock, {}),
            coverage={r.name: n for r, n in zip(self.design.spec.rules, self.fired, strict=True)},
            stopped=self.stopped,
            levels=tuple(self.levels),
            compile_seconds=self.kernel.seconds,
            symmetry=tuple(found.name for found in self.symmetric),
            reduced=self.fewer if self.options.partial_order else None,
            resumed=self.resumed,
            unmet=unmet(self.survey.points(sum(self.fired), self.design.spec.binding_counts))
            if complete and not self.resumed and self.survey.going
            else (),
            checkpoint=None if complete else folder,
        )
