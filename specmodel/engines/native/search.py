"""Exhaustive breadth-first search: levels, limits, and what is reported.

What it reports does not depend on the number of workers. Every level is finished before its
findings are looked at, and of all shortest counterexamples the reported one is the least by the
rule that the interpreter follows: the least violating state, reached through the least predecessor
of each state and its first binding. Every trace is run again by the interpreter before anyone sees
it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from specmodel.design import Design
from specmodel.engines.interpret.failures import (
    property_failure,
    step_failure,
    transition_failure,
)
from specmodel.engines.interpret.orbits import Orbits, interchangeable
from specmodel.engines.interpret.steps import Interpreter
from specmodel.engines.interrupts import attend
from specmodel.engines.native.available import available
from specmodel.engines.native.census import Census
from specmodel.engines.native.crew import Crew
from specmodel.engines.native.memory import Memory, MemoryLimit
from specmodel.engines.native.stores.checkpoint import Boundary, SavedHit
from specmodel.engines.native.stores.cold import open_store
from specmodel.engines.native.stores.keeper import open_keeper
from specmodel.engines.native.survey import Survey
from specmodel.engines.partial_order import refuse_unreducible
from specmodel.errors import SpecmodelError, UsageError
from specmodel.kernel.context import (
    DEADLOCK,
    FIRST_PROPERTY,
    PROPERTY_FAILURE,
    STEP_FAILURE,
    Finding,
)
from specmodel.kernel.kernel import Kernel
from specmodel.lang.spec import Rule
from specmodel.liveness import Stopped, refuse_unfit
from specmodel.liveness.formulas import is_temporal
from specmodel.results import (
    DEADLOCK as DEADLOCK_NAME,
)
from specmodel.results import (
    Options,
    PointCount,
    Progress,
    PropertyResult,
    Result,
    SpecFailure,
    Trace,
)
from specmodel.results.coverage import unmet

POLL = 0.02
"""Seconds between looks at the clock."""

PROGRESS_EVERY = 0.2
"""Seconds between reports of progress."""


def search(design: Design, options: Options) -> Result:
    """Explore a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails."""
    running = _Search(design, options)
    try:
        result = running.run()
    except _StatesNeeded:
        result = None
    finally:
        running.close()
    if result is not None and not (options.fingerprint and running.hits):
        return result
    # For the way to what was found: again, with whole states, as far as that.
    levels = max((hit.level + 2 for hit in running.hits.values()), default=None)
    again = search(
        design,
        replace(
            options,
            fingerprint=False,
            compress=True,
            keep_going=True,
            max_depth=None if result is None else levels,
            max_states=None,
        ),
    )
    return again if result is None else _with_traces(result, again)


def _with_traces(result: Result, again: Result) -> Result:
    """A result of fingerprints with the traces of a search with whole states, where it has them."""
    known = {found.name: found.trace for found in again.properties}
    properties = tuple(
        found if found.verdict == "incomplete" else replace(found, trace=known[found.name])
        for found in result.properties
    )
    memory = max(result.memory, again.memory)
    return replace(result, properties=properties, memory=memory)


def _refuse_unfit(options: Options) -> None:
    """Raises UsageError for what fingerprints do not go together with."""
    kept = {
        "--checkpoint": options.checkpoint is not None,
        "--spill": options.spill is not None,
        "--compress": options.compress,
    }
    wrong = [option for option, given in kept.items() if given]
    if options.fingerprint and wrong:
        raise UsageError(f"{wrong[0]} keeps whole states: give it without --fingerprint")


class _StatesNeeded(Exception):  # noqa: N818 - asks for something
    """The spec fails, and there are no whole states to say how."""


def searched_with(
    design: Design, options: Options, projections: Sequence[Sequence[int]]
) -> tuple[Result, list[Census]]:
    """As `search`, with a census of all states: of groups of leaves, by number, for each thread."""
    running = _Search(design, options, projections)
    try:
        return running.run(), running.survey.censuses
    finally:
        running.close()


@dataclass(frozen=True)
class _Hit:
    """A finding and the level of its state."""

    finding: Finding
    level: int


class _Search:
    def __init__(
        self,
        design: Design,
        options: Options,
        projections: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self.design = design
        self.options = options
        self.interpreter = Interpreter(design.spec)
        self.chosen = design.chosen(options.properties)
        self.rules = [rule for rule in self.chosen if not is_temporal(rule)]
        self.temporal = [rule for rule in self.chosen if is_temporal(rule)]
        self.judged: dict[str, PropertyResult] = {}
        if self.temporal:
            refuse_unfit(self.temporal, options)
        self.symmetric = interchangeable(design, self.rules) if options.symmetry else ()
        if options.partial_order:
            refuse_unreducible(design, self.chosen, options)
        self.kernel = Kernel(
            design.spec,
            self.rules,
            symmetric=self.symmetric,
            partial_order=options.partial_order,
        )
        self.memory = Memory(options.max_memory or available())
        _refuse_unfit(options)
        store = open_store(options, self.memory)
        threads = max(1, options.workers)
        started = time.perf_counter()
        self.survey = Survey(self.kernel, self.rules, options.coverage, threads, projections)
        self.compiling = self.kernel.seconds + time.perf_counter() - started
        self.crew = Crew(self.kernel, threads, self.memory, self.survey, store, options.fingerprint)
        wanted = options.deadlock
        self.deadlock = design.spec.deadlock if wanted is None else wanted
        if not self.deadlock:
            self.crew.ignore(DEADLOCK)
        self.hits: dict[int, _Hit] = {}
        self.initial = 0
        self.depth = 0
        self.resumed = 0
        self.levels: list[int] = []
        self.seconds_before = 0.0
        self.failure: BaseException | None = None
        self.over = threading.Event()
        self.searching = threading.Thread(target=self._explore, daemon=True)
        self.keeper = open_keeper(design, options, self.kernel, self.crew)
        self.started = self.reported = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time spent on the search, by the runs that this one goes on with as well."""
        return self.seconds_before + time.perf_counter() - self.started

    def run(self) -> Result:
        """Searches in a thread of its own; this one looks after limits, progress and Ctrl-C."""
        self.searching.start()
        attend(self.over, self._watch, self._interrupt, POLL)
        if self.failure is not None:
            raise self.failure
        return self._result()

    def _interrupt(self) -> None:
        self.crew.stopped = "interrupted"

    def close(self) -> None:
        """Ends the threads, and lets others have the checkpoint."""
        self.crew.stopped = self.crew.stopped or "failed"
        if self.searching.ident is not None:
            self.over.wait()
        self.crew.close()
        if self.keeper is not None:
            self.keeper.checkpoint.close()

    def _explore(self) -> None:
        try:
            self._levels()
        except BaseException as wrong:
            self.failure = wrong
        finally:
            self.over.set()

    def _levels(self) -> None:
        """Level after level, to the end or until something says stop."""
        crew = self.crew
        if not self._restore():
            self._seed()
        while crew.frontier:
            if self.keeper is not None and not crew.stopped:
                self.keeper.reached(self._boundary())
            self.depth += 1
            self.levels.append(crew.frontier)
            if self._violated() and not self.options.keep_going:
                crew.stopped = "violation"
            crew.stopped = crew.stopped or self._limit()
            if crew.stopped:
                break
            crew.advance(self.depth - 1)
            self._collect(self.depth)
        if self.temporal and not crew.stopped:
            self._judge_temporal()
        if self.keeper is not None:
            self.keeper.finish(complete=not crew.stopped)

    def _seed(self) -> None:
        """Makes the initial states the first level."""
        states = [self.kernel.program.layout.pack(s) for s in self.interpreter.initial()]
        self.initial = len(states)
        if not states:
            raise SpecmodelError(f"{self.design.name} has no initial state")
        self.crew.seed(states)
        self._collect(0)

    def _restore(self) -> bool:
        """Goes on from a checkpoint; False if there is none."""
        boundary = None if self.keeper is None else self.keeper.restore()
        if boundary is None:
            return False
        self.depth, self.initial = boundary.level, boundary.initial
        self.resumed, self.seconds_before = boundary.distinct, boundary.seconds
        for hit in boundary.hits:
            self.hits[hit.record] = _Hit(Finding(hit.words, hit.binding), hit.level)
            self.crew.ignore(hit.record)
        return True

    def _boundary(self) -> Boundary:
        """Where the search stands between two levels."""
        return Boundary(
            level=self.depth,
            distinct=self.crew.distinct,
            initial=self.initial,
            seconds=self.seconds,
            counters=(*self.crew.fired(), self.crew.fewer()),
            hits=tuple(
                SavedHit(record, hit.finding.words, hit.finding.binding, hit.level)
                for record, hit in self.hits.items()
            ),
        )

    def _judge_temporal(self) -> None:
        """Decides the temporal properties on the graph of all states."""
        from specmodel.engines.native.temporal import judged  # numpy takes a while to import

        def poll() -> None:
            if self.crew.stopped:
                raise Stopped(self.crew.stopped)

        try:
            self.judged = judged(
                self.design, self.temporal, self.crew, self.depth, self.memory, poll
            )
        except Stopped:
            pass
        except MemoryLimit:
            self.crew.stopped = "max-memory"

    def _collect(self, level: int) -> None:
        """Takes in the findings of a level's states, and of the steps that led to it."""
        self.survey.look()
        found = self.crew.findings()
        if STEP_FAILURE in found:
            raise self._step_failure(found[STEP_FAILURE], level - 1)
        if PROPERTY_FAILURE in found:
            raise self._property_failure(found[PROPERTY_FAILURE], level)
        for record, finding in found.items():
            of_source = record == DEADLOCK or self._role(record) == "transition"
            self.hits[record] = _Hit(finding, level - 1 if of_source else level)
            self.crew.ignore(record)

    def _role(self, record: int) -> str:
        return "" if record < FIRST_PROPERTY else self.rules[record - FIRST_PROPERTY].role

    def _violated(self) -> bool:
        return any(self._role(record) != "reachable" for record in self.hits)

    def _limit(self) -> str:
        options = self.options
        if options.max_states is not None and self.crew.distinct >= options.max_states:
            return "max-states"
        if options.max_depth is not None and self.depth >= options.max_depth:
            return "max-depth"
        return ""

    def _watch(self) -> None:
        """Looks at the clock while the workers work."""
        spent = time.perf_counter() - self.started
        if self.options.timeout is not None and spent > self.options.timeout:
            self.crew.stopped = self.crew.stopped or "timeout"
        if self.options.progress and time.perf_counter() - self.reported > PROGRESS_EVERY:
            self.reported = time.perf_counter()
            self.options.progress(
                Progress(
                    distinct=self.crew.distinct,
                    generated=self.initial + sum(self.crew.fired()),
                    depth=self.depth,
                    frontier=self.crew.frontier,
                    seconds=self.seconds,
                    memory=self.memory.used,
                    disk=self.crew.disk,
                    levels=() if self.resumed else tuple(self.levels),
                )
            )

    # What is reported

    def _trace(self, hit: _Hit, broken: Rule | None = None) -> Trace:
        """The way to a hit, and the step that breaks a transition property if it is one."""
        if self.options.fingerprint:
            raise _StatesNeeded
        words = self.crew.path(hit.finding.words, hit.level)
        states = [self.kernel.program.layout.unpack(w) for w in words]
        if not self.symmetric:
            return self.interpreter.behaviour(states, hit.finding.binding if broken else None)
        orbits = Orbits(self.interpreter, self._representative)
        trace = orbits.behaviour(states[0], words[1:])
        return orbits.breaking(trace, broken) if broken else trace

    def _representative(self, state: object) -> tuple[int, ...]:
        (found,) = self.kernel.canonical_forms([self.kernel.program.layout.pack(state)])
        return found

    def _step_failure(self, finding: Finding, level: int) -> SpecFailure:
        return step_failure(self.interpreter, self._trace(_Hit(finding, level)))

    def _property_failure(self, finding: Finding, level: int) -> SpecFailure:
        bounds = self.design.spec.bounds
        rule = [*self.rules, *bounds][finding.binding]
        if rule.role == "transition":
            trace = self._trace(_Hit(finding, level - 1))
            return transition_failure(self.interpreter, trace, rule)
        trace = self._trace(_Hit(finding, level))
        return property_failure(self.interpreter, trace, [rule, *bounds])

    def _result(self) -> Result:
        crew = self.crew
        seconds = self.seconds
        fired = crew.fired()
        complete = not crew.stopped
        places = {rule.name: FIRST_PROPERTY + i for i, rule in enumerate(self.rules)}
        properties = [
            self._judged(places[rule.name], rule.name, rule.role, complete, rule)
            if rule.name in places
            else self.judged.get(rule.name) or PropertyResult(rule.name, rule.role, "incomplete")
            for rule in self.chosen
        ]
        if self.deadlock:
            properties.append(self._judged(DEADLOCK, DEADLOCK_NAME, DEADLOCK_NAME, complete))
        points: tuple[PointCount, ...] = ()
        if self.survey.going:
            points = self.survey.points(sum(fired), self.design.spec.binding_counts)
        return Result(
            design=self.design.name,
            constants=self.design.values,
            engine="native",
            workers=len(crew.workers),
            complete=complete,
            distinct=crew.distinct,
            generated=self.initial + sum(fired),
            depth=self.depth,
            seconds=seconds,
            properties=tuple(properties),
            coverage={r.name: n for r, n in zip(self.design.spec.rules, fired, strict=True)},
            stopped=crew.stopped,
            levels=() if self.resumed else tuple(self.levels),
            compile_seconds=self.compiling,
            memory=self.memory.peak,
            symmetry=tuple(found.name for found in self.symmetric),
            reduced=crew.fewer() if self.options.partial_order else None,
            disk=crew.disk,
            omission=crew.distinct * (crew.distinct - 1) / 2**65
            if self.options.fingerprint
            else 0.0,
            resumed=self.resumed,
            checkpoint=None if self.keeper is None or complete else self.options.checkpoint,
            points=points if self.survey.everything else (),
            unmet=unmet(points) if complete and not self.resumed else (),
        )

    def _judged(
        self, record: int, name: str, kind: str, complete: bool, rule: Rule | None = None
    ) -> PropertyResult:
        hit = self.hits.get(record)
        if hit is not None and self.options.fingerprint:
            return PropertyResult(name, kind, "holds" if kind == "reachable" else "violated")
        broken = rule if kind == "transition" else None
        trace = self._trace(hit, broken) if hit else None
        return PropertyResult.judged(name, kind, trace, complete)
