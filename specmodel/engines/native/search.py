"""Exhaustive breadth-first search: levels, limits, and what is reported.

What it reports does not depend on the number of workers. Every level is finished before its
findings are looked at, and of all shortest counterexamples the reported one is the least by the
rule that the interpreter follows: the least violating state, reached through the least predecessor
of each state and its first binding. Every trace is run again by the interpreter before anyone sees
it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from specmodel.design import Design
from specmodel.engines.interpret.orbits import interchangeable
from specmodel.engines.native.available import available
from specmodel.engines.native.crew import ALL, Crew
from specmodel.engines.native.findings import Findings, Hit, StatesNeeded
from specmodel.engines.native.memory import Memory, MemoryLimit
from specmodel.engines.native.self_check import open_checker
from specmodel.engines.native.survey import Survey
from specmodel.engines.partial_order import refuse_unreducible
from specmodel.errors import SpecmodelError, TooSlow, UsageError
from specmodel.interrupts import attend
from specmodel.ir import pace
from specmodel.kernel.context import DEADLOCK, Finding
from specmodel.kernel.kernel import Kernel
from specmodel.liveness import Stopped, refuse_unfit
from specmodel.liveness.formulas import is_temporal
from specmodel.results import Options, PointCount, Progress, PropertyResult, Result, SelfCheck
from specmodel.results.coverage import unmet
from specmodel.selfcheck.run import examined

if TYPE_CHECKING:
    from specmodel.engines.native.census import Census
    from specmodel.engines.native.room import Room
    from specmodel.engines.native.saving import SpaceSaver
    from specmodel.engines.native.stores.checkpoint import Boundary
    from specmodel.engines.native.stores.keeper import Keeper

POLL = 0.02
"""Seconds between looks at the clock."""

PROGRESS_EVERY = 0.2
"""Seconds between reports of progress."""


def search(design: Design, options: Options, room: Room | None = None) -> Result:
    """Explore a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails.

    `room` was made for all its states.
    """
    try:
        running = _Search(design, options, room=room)
    except TooSlow as wrong:
        if options.remark is not None:
            options.remark(str(wrong))
        return _nothing_seen(design, options)
    try:
        result = running.run()
    except StatesNeeded:
        result = None
    if result is not None and not (options.fingerprint and running.findings.hits):
        return result
    # For the way to what was found: again, with whole states, as far as that. What lies behind it
    # may fail.
    again = search(
        design,
        replace(
            options,
            fingerprint=False,
            compress=True,
            keep_going=True,
            max_depth=None if result is None else running.findings.last + 1,
            max_states=None,
        ),
    )
    return again if result is None else _with_traces(result, again)


def _nothing_seen(design: Design, options: Options) -> Result:
    """The result where the time was up before the spec was compiled."""
    chosen = design.chosen(options.properties)
    return Result(
        design=design.name,
        constants=design.values,
        engine="native",
        workers=max(1, options.workers),
        complete=False,
        distinct=0,
        generated=0,
        depth=0,
        seconds=0.0,
        properties=tuple(PropertyResult(r.name, r.role, "incomplete") for r in chosen),
        coverage={rule.name: 0 for rule in design.spec.rules},
        stopped="timeout",
        compile_seconds=options.timeout or 0.0,
    )


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


def searched_with(
    design: Design, options: Options, projections: Sequence[Sequence[int]]
) -> tuple[Result, list[Census]]:
    """As `search`, with a census of all states: of groups of leaves, by number, for each thread."""
    running = _Search(design, options, projections)
    return running.run(), running.survey.censuses


class _Search:
    """What is made here needs no closing: `run` opens the rest, and closes all."""

    def __init__(
        self,
        design: Design,
        options: Options,
        projections: Sequence[Sequence[int]] | None = None,
        room: Room | None = None,
    ) -> None:
        self.design = design
        self.options = options
        self.chosen = design.chosen(options.properties)
        self.rules = [rule for rule in self.chosen if not is_temporal(rule)]
        self.temporal = [rule for rule in self.chosen if is_temporal(rule)]
        self.judged: dict[str, PropertyResult] = {}
        if self.temporal:
            refuse_unfit(self.temporal, options)
        self.symmetric = interchangeable(design, self.rules) if options.symmetry else ()
        if options.partial_order:
            refuse_unreducible(design, self.chosen, options)
        self.clock = pace.Clock(options.timeout)
        self.reported = time.perf_counter()
        with self._limiting():
            self.kernel = Kernel(
                design.spec,
                self.rules,
                symmetric=self.symmetric,
                partial_order=options.partial_order,
            )
        self.memory = Memory(options.max_memory or available(), room)
        _refuse_unfit(options)
        store = None
        if options.spill is not None or options.compress:
            from specmodel.engines.native.stores.cold import open_store  # most searches need none

            store = open_store(options, self.memory)
        threads = max(1, options.workers)
        started = time.perf_counter()
        with self._limiting():
            self.survey = Survey(self.kernel, self.rules, options.coverage, threads, projections)
        self.compiling = self.kernel.seconds + time.perf_counter() - started
        states = room.states if room is not None else 0
        self.crew = Crew(
            self.kernel, threads, self.memory, self.survey, store, options.fingerprint, states
        )
        wanted = options.deadlock
        self.deadlock = design.spec.deadlock if wanted is None else wanted
        if not self.deadlock:
            self.crew.ignore(DEADLOCK)
        self.checker = open_checker(design, options, self.kernel, self.rules, self.crew)
        path = None if options.fingerprint else self._path
        self.findings = Findings(design, self.rules, self.kernel, self.symmetric, path)
        self.initial = 0
        self.depth = 0
        self.resumed = 0
        self.levels: list[int] = []
        self.seconds_before = 0.0
        self.keeper: Keeper | None = None
        with self._limiting():
            self.saver = self._open_saver()
        self.whole = 0
        self.interrupts = 0
        self.ended: float | None = None
        self.stopped = ""
        self.enough = ""
        self.saved: Path | None = None
        self.started = self.reported = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time spent on the search, by the runs that this one goes on with as well."""
        ended = time.perf_counter() if self.ended is None else self.ended
        return self.seconds_before + ended - self.started

    def run(self) -> Result:
        """Searches in a thread of its own; this one looks after limits, progress and Ctrl-C."""
        return attend(self._explore, self._watch, self._interrupt, POLL)

    def _interrupt(self) -> None:
        self.interrupts += 1
        self._stop("interrupted")

    def _stop(self, why: str) -> None:
        """Ends the search soon or, if it is over, what is made of it."""
        if self.ended is None:
            self.crew.stopped = self.crew.stopped or why
        elif why == "interrupted" or not self.stopped:
            self.enough = self.enough or why

    def _explore(self) -> Result:
        """All that there is to open, to search, to tell and to close."""
        try:
            if self.options.checkpoint is not None or self.options.resume:
                from specmodel.engines.native.stores.keeper import open_keeper  # as above

                self.keeper = open_keeper(self.design, self.options, self.kernel, self.crew)
            examined(self._levels, self._compared)
            compared = self._compared()
            if self.keeper is not None:
                self.keeper.finish(complete=not self.stopped)
            if self.saver is not None:
                self._save_space()
            result = examined(self._result, self._compared)
            return self._with_space(replace(result, self_check=compared))
        finally:
            self.findings.close()
            self.crew.close()
            if self.keeper is not None:
                self.keeper.checkpoint.close()

    def _compared(self) -> SelfCheck | None:
        """The self-check, in all states that have been met."""
        if self.checker is None:
            return None
        return self.checker.check(self.findings, self.depth, self.seconds, lambda: self.enough)

    def _levels(self) -> None:
        """Level after level, to the end or until something says stop."""
        crew = self.crew
        if not self._restore():
            self._seed()
        reached = crew.frontier
        while reached:
            if not crew.stopped:
                self.whole = self.depth + 1
                if self.keeper is not None:
                    self.keeper.reached(self._boundary())
            self.depth += 1
            self.levels.append(reached)
            if self.findings.violated and not self.options.keep_going:
                crew.stopped = "violation"
            crew.stopped = crew.stopped or self._limit()
            if crew.stopped:
                break
            *finished, reached = crew.advance(self.depth - 1, *self._how_far())
            for states in finished:
                self.depth += 1
                self.whole = self.depth
                self.levels.append(states)
            self._collect(self.depth)
        if self.temporal and not crew.stopped:
            self._judge_temporal()
        self.stopped, self.ended = crew.stopped, time.perf_counter()

    def _seed(self) -> None:
        """Makes the initial states the first level."""
        states = [self.kernel.program.layout.pack(s) for s in self.findings.interpreter.initial()]
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
            self.findings.hits[hit.record] = Hit(Finding(hit.words, hit.binding), hit.level)
            self.crew.ignore(hit.record)
        return True

    def _boundary(self) -> Boundary:
        """Where the search stands between two levels."""
        from specmodel.engines.native.stores.checkpoint import Boundary, SavedHit

        return Boundary(
            level=self.depth,
            distinct=self.crew.distinct,
            initial=self.initial,
            seconds=self.seconds,
            counters=(*self.crew.fired(), self.crew.fewer()),
            hits=tuple(
                SavedHit(record, hit.finding.words, hit.finding.binding, hit.level)
                for record, hit in self.findings.hits.items()
            ),
        )

    def _judge_temporal(self) -> None:
        """Decides the temporal properties on the graph of all states."""
        from specmodel.engines.native.temporal import judged  # numpy takes a while to import

        def poll() -> None:
            if self.crew.stopped:
                raise Stopped(self.crew.stopped)

        names = ", ".join(rule.name for rule in self.temporal)
        try:
            with self.clock.limiting(f"{names}: no verdict", lambda what: poll()):
                self.judged = judged(
                    self.design,
                    self.temporal,
                    self.crew,
                    self.depth,
                    self.memory,
                    poll,
                    self.checker,
                )
        except Stopped:
            pass
        except TooSlow as wrong:
            self.crew.stopped = "timeout"
            self._remark(str(wrong))
        except (MemoryLimit, MemoryError):
            self.crew.stopped = "max-memory"

    def _open_saver(self) -> SpaceSaver | None:
        """What saves the space, if it is to be saved."""
        if self.options.save_space is None:
            return None
        from specmodel.space.arrow import need_data

        need_data()
        from specmodel.engines.native.saving import open_saver  # numpy takes a while to import

        return open_saver(self.design, self.options, self.kernel, self.deadlock)

    def _save_space(self) -> None:
        """Saves the levels that are whole. What keeps it from that is remarked on."""
        assert self.saver is not None

        def poll() -> None:
            if self.enough:
                raise Stopped(self.enough)

        try:
            self.saver.save(
                self.crew, self.whole, not self.stopped, self.findings, self.memory, poll
            )
            self.saved = self.options.save_space
        except Stopped as ended:
            self._unsaved(ended.why)
        except OSError as wrong:
            self._unsaved(wrong.strerror or str(wrong))
        except MemoryLimit as wrong:
            self._unsaved(str(wrong))
        except MemoryError:
            self._unsaved("out of memory")

    def _with_space(self, result: Result) -> Result:
        """The result, which goes to the space as well, if that is saved."""
        if self.saver is None or self.saved is None:
            return result
        try:
            self.saver.finish(result)
        except OSError as wrong:
            self._unsaved(wrong.strerror or str(wrong))
            return result
        return replace(result, saved=self.saved)

    def _unsaved(self, why: str) -> None:
        assert self.saver is not None
        self._remark(
            f"the space is not saved in {self.options.save_space}: {why} "
            f"({self.saver.saved} of {self.whole} levels are there)"
        )

    def _remark(self, text: str) -> None:
        if self.options.remark is not None:
            self.options.remark(text)

    def _path(self, words: tuple[int, ...], level: int) -> list[tuple[int, ...]]:
        """The way to a state; see `Crew.path`. Raises KeyboardInterrupt at one more Ctrl-C."""
        before = self.interrupts

        def poll() -> None:
            if self.interrupts > before:
                raise KeyboardInterrupt

        return self.crew.path(words, level, poll)

    def _collect(self, level: int) -> None:
        """Takes in the findings of a level's states, and of the steps that led to it."""
        self.survey.look()
        found = self.crew.findings()
        self.findings.take(found, level)
        for record in found:
            self.crew.ignore(record)

    def _limit(self) -> str:
        options = self.options
        if options.max_states is not None and self.crew.distinct >= options.max_states:
            return "max-states"
        if options.max_depth is not None and self.depth >= options.max_depth:
            return "max-depth"
        # A level may be over before the clock is looked at while it is worked on.
        return "timeout" if self.clock.late else ""

    def _how_far(self) -> tuple[int, int]:
        """How many levels the workers may search, and states find, before there is more to do."""
        options = self.options
        states = ALL if options.max_states is None else options.max_states
        if self.keeper is not None:
            return 1, states
        return ALL if options.max_depth is None else options.max_depth - self.depth, states

    def _limiting(self) -> AbstractContextManager[None]:
        """Ends what is compiled before the search at the limit of time, by TooSlow."""
        return self.clock.limiting("no state was searched", self._compiling)

    def _compiling(self, what: str) -> None:
        now = time.perf_counter()
        if self.options.progress and now - self.reported > PROGRESS_EVERY:
            self.reported, spent = now, now - self.clock.begun
            self.options.progress(Progress(None, None, 0, 0, spent, 0, asking=f"compiling {what}"))

    def _watch(self) -> None:
        """Looks at the clock while the workers work."""
        if self.clock.late:
            self._stop("timeout")
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

    def _result(self) -> Result:
        crew = self.crew
        seconds = self.seconds
        fired = crew.fired()
        complete = not self.stopped
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
            properties=self.findings.properties(self.chosen, complete, self.deadlock, self.judged),
            coverage={r.name: n for r, n in zip(self.design.spec.rules, fired, strict=True)},
            stopped=self.stopped,
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
