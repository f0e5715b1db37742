"""A simulation: rounds of walks until one violates a property, or all are made.

Without a time limit, the report depends only on the plan: not on the number of workers, nor on the
engine. Of all violating walks, the one with the least number is reported, and the findings of later
walks are dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from specmodel.analysis.shrinking import Finding, failure_in, shrink
from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import SpecmodelError
from specmodel.interrupts import attend
from specmodel.ir import compile_progress
from specmodel.kernel.walking import DEADLOCK, FAILED_PROPERTY, FAILED_STEP, FIRST
from specmodel.results import DEADLOCK as DEADLOCK_NAME
from specmodel.results import PropertyResult, SelfCheck, Simulation, SpecFailure, WalkProgress
from specmodel.selfcheck.run import examined
from specmodel.walks.estimate import guarantee, touched
from specmodel.walks.plan import WalkPlan
from specmodel.walks.random_choices import below, draw, walk_key
from specmodel.walks.totals import Records

if TYPE_CHECKING:
    from specmodel.space.walk_writing import WalkSaver

POLL = 0.02
"""Seconds between looks at the clock."""

FAILURES = (FAILED_STEP, FAILED_PROPERTY)


@dataclass(frozen=True)
class Met:
    """The walk of a finding, up to it: its number, its states, the bindings between them."""

    walk: int
    states: Sequence[Any]
    bindings: Sequence[int]


class RunningSimulation:
    """Makes the walks of a plan: `last` is its last round, `following` a walk that is repeated."""

    def __init__(self, design: Design, plan: WalkPlan, engine: str) -> None:
        self.design = design
        self.plan = plan
        self.engine = engine
        self.interpreter = Interpreter(design.spec)
        self.initial = list(self.interpreter.initial())
        if not self.initial:
            raise SpecmodelError(f"{design.name} has no initial state")
        self.rules = design.stated(plan.properties)
        wanted = plan.deadlock
        self.deadlock = design.spec.deadlock if wanted is None else wanted
        self.misbegun = {
            FIRST + i: {
                n for n, s in enumerate(self.initial) if not self.interpreter.holds(rule, s)
            }
            for i, rule in enumerate(self.rules)
            if rule.refined is not None
        }
        """The initial states, by their place, that break each refinement."""
        ends = {FIRST + i for i, rule in enumerate(self.rules) if rule.role != "reachable"}
        self.ends = frozenset(ends | {*FAILURES} | ({DEADLOCK} if self.deadlock else set()))
        self.shortens = engine if registry.engine(engine).shortens else registry.DEFAULT
        make = registry.engine(engine).walker
        self.saver = self._open_saver()
        self.clock = compile_progress.Clock(plan.timeout)
        with self.clock.limiting("no walk was made", self._compiling):
            self.walker = make(design, self.rules, plan, self.ends)
        self.met: dict[int, Met] = {}
        self.last = 0, 0
        self.following: int | None = None
        self.stopped = ""
        self.started = time.perf_counter()
        self.seconds = 0.0

    def run(self, compare: Callable[[], SelfCheck | None]) -> Simulation:
        """Walks in a thread of its own; this thread handles the clock, progress and Ctrl-C.

        `compare` compares states of the walks with CPython. Raises Disagreement.
        """
        self._saving(lambda saver: saver.begin())
        try:
            walking = partial(attend, self._walk, self._watch, self._interrupt, POLL)
            examined(walking, compare)
            self.seconds = time.perf_counter() - self.started
            compared = compare()
            return self._with_tables(replace(self._result(), self_check=compared))
        except BaseException:
            self._unsaved("the simulation has failed")
            raise

    def _interrupt(self) -> None:
        self._stop("interrupted")

    def met_at_first(self, finding: int) -> Met | None:
        """Walks until a finding is made, or another that ends walks."""
        self._walk(finding)
        return self.met.get(finding)

    def _walk(self, sought: int | None = None) -> None:
        """Makes rounds of walks until one ends them all, or the finding that is `sought` does.

        In the latter case, the results of the other walks are not collected.
        """
        for first, end in self.plan.rounds(self.walker.scale):
            self.last = first, end
            self.walker.go(first, end)
            self._collect()
            violating = self._violating()
            if violating and not self.stopped:
                self.stopped = "violation"
                if sought is None:
                    self.walker.take_back(violating[0].walk + 1)
            self._list(first)
            if self.stopped or sought in self.met:
                return
            self.walker.learn()

    # Tables of the walks

    def _open_saver(self) -> WalkSaver | None:
        """The saver of the walks, if they are to be saved. Raises UsageError, DamagedRun."""
        folder = self.plan.save_walks
        if folder is None:
            return None
        from specmodel.space.arrow import need_data

        need_data()
        from specmodel.space.walk_manifest import manifest_of
        from specmodel.space.walk_writing import WalkSaver

        manifest = manifest_of(self.design, self.plan, self.engine, self.rules, self.deadlock)
        manifest.refuse_other(folder)
        return WalkSaver(folder, manifest, self.plan)

    def _list(self, first: int) -> None:
        """Adds the walks of a round, from a number on, to their table."""
        self._saving(lambda saver: saver.add(first, self.walker.endings()))

    def _with_tables(self, result: Simulation) -> Simulation:
        """The result, after its tables are written."""
        self._saving(lambda saver: saver.finish(result, self.walker.totals()))
        return result if self.saver is None else replace(result, saved=self.plan.save_walks)

    def _saving(self, work: Callable[[WalkSaver], None]) -> None:
        """Runs a part of the saving, if walks are saved and can be."""
        if self.saver is not None:
            try:
                work(self.saver)
            except OSError as wrong:
                self._unsaved(wrong.strerror or str(wrong))

    def _unsaved(self, why: str) -> None:
        """Gives up saving the tables. The result of the walks is reported all the same."""
        if self.saver is None:
            return
        self.saver.give_up()
        self.saver = None
        if self.plan.remark is not None:
            self.plan.remark(f"the walks are not saved in {self.plan.save_walks}: {why}")

    def _watch(self) -> None:
        if self.clock.late:
            self._stop("timeout")
        if self.plan.progress:
            seconds = time.perf_counter() - self.started
            self.plan.progress(WalkProgress(*self.walker.progress(), seconds))

    def _compiling(self, what: str) -> None:
        if self.plan.progress:
            seconds = time.perf_counter() - self.clock.begun
            self.plan.progress(WalkProgress(0, 0, seconds, f"compiling {what}"))

    def _stop(self, why: str) -> None:
        if not self.stopped:
            self.stopped = why
            self.walker.stop()

    def _collect(self) -> None:
        """Takes in what was found in a round: violations of the least walk, nothing after it."""
        found = self.walker.records() | self._misbegun_walks()
        found = {f: at for f, at in found.items() if f not in self.met}
        violating = [at for f, at in found.items() if f in self.ends]
        least = min(violating, default=None)
        for finding, (walk, step) in found.items():
            if least is not None and (walk, step) > least:
                continue
            self.following = walk
            path = self.walker.path(walk)
            states, bindings = [self.initial[path.initial]], path.bindings[:step]
            for number in bindings:
                states.append(self.interpreter.successor(states[-1], number))
                if states[-1] is None:
                    raise AssertionError(f"{self.interpreter.step(number)} cannot happen here")
            self.met[finding] = Met(walk, states, bindings)
            self.walker.forget(finding)
            self.following = None

    def _misbegun_walks(self) -> Records:
        """For each refinement the least walk of the last round that starts where it is broken."""
        found: Records = {}
        for finding, wrong in self.misbegun.items():
            for walk in range(*self.last) if wrong else ():
                if below(draw(walk_key(self.plan.seed, walk), 0), len(self.initial)) in wrong:
                    found[finding] = walk, 0
                    break
        return found

    def _violating(self) -> list[Met]:
        """The violations found, all in the same state of a walk."""
        return [met for finding, met in self.met.items() if finding in self.ends]

    # The report

    def _result(self) -> Simulation:
        for finding in FAILURES:
            if finding in self.met:
                raise self._failed(self.met[finding])
        totals = self.walker.totals()
        coverage = {rule.name: 0 for rule in self.design.spec.rules}
        bindings: dict[str, int] = {}
        for number, (rule, _) in enumerate(self.interpreter.bindings):
            coverage[rule.name] += totals.taken[number]
            bindings[str(self.interpreter.step(number))] = totals.taken[number]
        shortest: list[str] = []
        properties = [
            self._property(FIRST + i, rule.name, rule.role, shortest)
            for i, rule in enumerate(self.rules)
        ]
        if self.deadlock:
            properties.append(self._property(DEADLOCK, DEADLOCK_NAME, DEADLOCK_NAME, shortest))
        violating = self._violating()
        return Simulation(
            design=self.design.name,
            constants=self.design.values,
            engine=self.engine,
            workers=self.walker.workers,
            strategy=str(self.plan.strategy),
            seed=self.plan.seed,
            depth=self.plan.depth,
            walks=totals.ended,
            steps=totals.steps,
            cut=totals.cut,
            longest=totals.longest + 1,
            seconds=self.seconds,
            properties=tuple(properties),
            coverage=coverage,
            bindings=bindings,
            touched=touched(totals.sample, totals.ended, self.plan),
            guarantee=guarantee(self.plan, len(bindings), totals.ended),
            walk=violating[0].walk if violating else None,
            walk_length=len(violating[0].states) if violating else None,
            shortest=tuple(shortest),
            stopped="violation" if violating else self.stopped,
            compile_seconds=self.walker.seconds,
        )

    def _property(self, finding: int, name: str, kind: str, shortest: list[str]) -> PropertyResult:
        met, trace = self.met.get(finding), None
        if met is not None:
            sought = Finding(self.design, name)
            shrunk = shrink(sought, met.states, met.bindings, self.shortens)
            trace = shrunk.trace
            if shrunk.shortest:
                shortest.append(name)
        return PropertyResult.judged(name, kind, trace, complete=False)

    def _failed(self, met: Met) -> SpecFailure:
        """The failure at the end of a walk, with its trace shrunk."""
        before = met.states[-2] if len(met.states) > 1 else None
        failure = failure_in(self.design, self.interpreter, before, met.states[-1])
        if failure is None:
            raise AssertionError("only the kernel fails at the end of this walk")
        shrunk = shrink(Finding(self.design, "", failure), met.states, met.bindings, self.shortens)
        return SpecFailure(
            failure.message, failure.span, failure.hint, trace=shrunk.trace, where=failure.where
        )
