"""The driver of a search, level by level: the same for every engine.

The driver handles limits, progress, Ctrl-C, the verdicts of temporal properties, the self-check and
the result. An engine defines how a search begins, how it goes from a level to the next, and how it
finds the way back to a state: the methods under "What an engine defines".
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from specmodel.behaviour.formulas import is_temporal
from specmodel.behaviour.orbits import interchangeable
from specmodel.behaviour.refinement import misbegun
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.domains import ScalarDomain
from specmodel.domains.found import found_places
from specmodel.engines.base.partial_order import refuse_unreducible
from specmodel.errors import MemoryLimit, SpecmodelError, TooSlow
from specmodel.interrupts import attend
from specmodel.ir import compile_progress
from specmodel.liveness import Stopped, refuse_unfit
from specmodel.results import (
    DEADLOCK,
    Options,
    PointCount,
    Progress,
    PropertyResult,
    Result,
    SelfCheck,
    Trace,
)
from specmodel.results.coverage import unmet
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import Reference
from specmodel.selfcheck.run import Compiled, compare, examined

if TYPE_CHECKING:
    from specmodel.liveness.graph import StateGraph


class Saver(Protocol):
    """Writes the state space of a search: `saved` of its `levels` whole levels are written."""

    saved: int
    levels: int

    @property
    def later(self) -> str:
        """The advice to a user if not all levels could be saved."""
        ...

    def finish(self, result: Result) -> None:
        """Writes the result of the search. Raises OSError."""


class Driver(ABC):
    """A search.

    The constructor opens nothing that must be closed: `run` opens and closes everything.
    """

    engine: ClassVar[str]

    poll_every: ClassVar[float] = 0.02
    """Seconds between looks at the clock."""

    progress_every: ClassVar[float] = 0.2
    """Seconds between reports of progress."""

    def __init__(self, design: Design, options: Options) -> None:
        """Raises UsageError for properties that cannot be checked with the options."""
        self.design = design
        self.options = options
        self.chosen = design.chosen(options.properties)
        self.rules = [rule for rule in self.chosen if not is_temporal(rule)]
        self.temporal = [rule for rule in self.chosen if is_temporal(rule)]
        if self.temporal:
            refuse_unfit(self.temporal, options)
        self.symmetric = self.interchangeable()
        if options.partial_order:
            refuse_unreducible(design, self.chosen, options)
        wanted = options.deadlock
        self.deadlock = design.spec.deadlock if wanted is None else wanted
        self.most_depth = options.max_depth
        self.workers = 1
        self.initial = 0
        self.depth = 0
        self.levels: list[int] = []
        self.reached = 0
        """The states of the level that is expanded next."""
        self.whole = 0
        """The number of whole levels: all their states are found and checked."""
        self.resumed = 0
        self.interpreter = Interpreter.of(design.spec)
        self.judged: dict[str, PropertyResult] = {}
        self.begun: dict[str, Trace] = {}
        """The initial states that break refinements, by the names of these."""
        self._saved = False
        self.interrupts = 0
        self.stopped = ""
        """Why the search ends early."""
        self.enough = ""
        """Why the work after the search (temporal properties, saving) ends early."""
        self.over = False
        """Whether the search is over, and only the result remains to be made."""
        self.compiling = 0.0
        self.seconds_before = 0.0
        self.ended: float | None = None
        self.clock = compile_progress.Clock(options.timeout)
        self._late = False
        self.started = self.reported = time.perf_counter()

    # What an engine defines

    @abstractmethod
    def seed(self) -> int:
        """Makes the initial states the first level; returns their number."""

    @abstractmethod
    def advance(self) -> Sequence[int]:
        """Expands the level at `depth`; returns the number of states of the next level.

        An engine may continue from there: then it returns the sizes of all levels that it reached.
        The last level may lack states if the search has `stopped`.
        """

    @abstractmethod
    def violated(self) -> bool:
        """Whether a finding violates a property."""

    @abstractmethod
    def verdict(self, name: str, kind: str, complete: bool) -> PropertyResult:
        """The verdict on a property that is not temporal, or on deadlock, with its trace."""

    @abstractmethod
    def distinct(self) -> int | None:
        """How many states have been found; None if the engine counts none."""

    def fired(self) -> Sequence[int]:
        """How often each action fired."""
        return ()

    def interchangeable(self) -> Sequence[ScalarDomain]:
        """The sets whose members may be renamed: orbits are searched. Raises as its namesake."""
        return interchangeable(self.design, self.rules) if self.options.symmetry else ()

    def open(self) -> None:
        """Opens the resources that `close` closes, before anything else."""
        return

    def restore(self) -> int | None:
        """Continues an earlier search, if any; returns the number of states to expand, or None."""
        return None

    def settle(self, level: int) -> None:
        """Records the findings in a level's states, and in the steps to them.

        Raises SpecFailure.
        """
        return

    def boundary(self) -> None:
        """Called when all levels that were reached are whole."""
        return

    def halt(self) -> None:
        """Ends the running work as soon as possible, from any thread.

        `stopped` or `enough` says why.
        """
        return

    def finish(self) -> None:
        """Called when the search and its self-check have ended."""
        return

    def close(self) -> None:
        """Closes all resources."""
        return

    def graph(self) -> tuple[StateGraph, Callable[[int], Any]]:
        """The graph for temporal properties, and a function from a state's number to the state.

        Raises SpecFailure where a property fails, MemoryLimit, and the errors of `poll`.
        """
        raise NotImplementedError

    def compiled(self) -> tuple[Reference, Sequence[Compiled]] | None:
        """The compiled code that the self-check compares; None if nothing was compiled."""
        return None

    def sample(self, wanted: int) -> Iterator[Words]:
        """States for the self-check, about `wanted` of them."""
        yield from ()

    def points(self) -> tuple[PointCount, ...]:
        """The coverage points, with their counts."""
        return ()

    def saver(self) -> Saver | None:
        """The saver of the space, if the space is to be saved."""
        return None

    def save(self) -> None:
        """Saves the whole levels. Raises OSError, SpecmodelError, MemoryError."""
        return

    # The search

    def run(self) -> Result:
        """Searches, and returns the result. Raises SpecFailure, with a trace, and Disagreement."""
        self.started = self.reported = time.perf_counter()
        return self.attended()

    def attended(self) -> Result:
        """Searches in a thread of its own; this thread handles limits, progress and Ctrl-C."""
        return attend(self.explore, self.watch, self.interrupt, self.poll_every)

    def explore(self) -> Result:
        """Opens the resources, searches, makes the result, and closes the resources."""
        try:
            self.open()
            examined(self._search, self.compare)
            compared = self.compare()
            self.finish()
            self._save()
            self.over = True
            result = replace(examined(self.result, self.compare), self_check=compared)
            return self.with_space(result)
        finally:
            self.over = True
            self.close()

    def _search(self) -> None:
        try:
            self.search_levels()
        except Stopped as early:
            self.stopped = self.stopped or early.why
        self.ended = time.perf_counter()

    def search_levels(self) -> None:
        """Level after level, to the end or until something says stop."""
        self.begun = misbegun(self.interpreter, self.rules)
        restored = self.restore()
        if restored is None:
            self.reached = self.seed()
            self.settle(0)
        else:
            self.reached = restored
        while self.reached:
            if not self.stopped:
                self.whole = self.depth + 1
                self.boundary()
            self.levels.append(self.reached)
            self.depth += 1
            if (self.begun or self.violated()) and not self.options.keep_going:
                self.stopped = "violation"
            if limit := self._limit():  # else nothing is assigned: Ctrl-C may have come meanwhile
                self.stopped = self.stopped or limit
            if self.stopped:
                break
            *finished, self.reached = self.advance()
            for states in finished:
                self.levels.append(states)
                self.depth += 1
                self.whole = self.depth
            self.settle(self.depth)
        if self.temporal and not self.stopped:
            self._judge_temporal()

    def _limit(self) -> str:
        states, most = self.distinct(), self.options.max_states
        if most is not None and states is not None and states >= most:
            return "max-states"
        if self.most_depth is not None and self.depth >= self.most_depth:
            return "max-depth"
        # A level may end before the other thread looks at the clock.
        return "timeout" if self.clock.late else ""

    def no_initial_state(self) -> SpecmodelError:
        """The error for a design without initial states."""
        return SpecmodelError(f"{self.design.name} has no initial state")

    def _judge_temporal(self) -> None:
        """Decides the temporal properties on the graph of all states."""
        from specmodel.liveness.verdicts import verdicts  # numpy takes a while to import

        names = ", ".join(rule.name for rule in self.temporal)
        try:
            with self.clock.limiting(f"{names}: no verdict", lambda what: self.poll()):
                graph, state = self.graph()
                self.judged = verdicts(graph, self.temporal, self.interpreter, state, self.poll)
        except TooSlow as wrong:
            self.stopped = "timeout"
            self.remark(str(wrong))
        except (MemoryLimit, MemoryError):
            self.stopped = "max-memory"

    def poll(self) -> None:
        """Raises Stopped if the search, or the work after it, is to end."""
        if why := self.stopped if self.ended is None else self.enough:
            raise Stopped(why)

    def compare(self) -> SelfCheck | None:
        """The self-check on visited states; None if there is none. Raises Disagreement."""
        asked = self.options.self_check
        both = None if asked == 0 else self.compiled()
        if both is None:
            return None
        reference, compiled = both
        return compare(
            self.design,
            reference,
            compiled,
            asked,
            self.distinct(),
            self.sample,
            self.seconds,
            lambda: self.enough,
        )

    # Limits, progress, Ctrl-C

    @property
    def seconds(self) -> float:
        """Time spent on the search, including the earlier runs that this one continues."""
        ended = time.perf_counter() if self.ended is None else self.ended
        return self.seconds_before + ended - self.started

    def interrupt(self) -> None:
        """Handles Ctrl-C."""
        self.interrupts += 1
        self._stop("interrupted")

    def _stop(self, why: str) -> None:
        """Ends the search soon or, if the search is over, the work after it."""
        if self.ended is None:
            self.stopped = self.stopped or why
        elif why == "interrupted" or not self.stopped:
            self.enough = self.enough or why
        self.halt()

    def watch(self) -> None:
        """Watches the clock while other threads work."""
        if self.clock.late and not self._late:
            self._late = True
            self._stop("timeout")
        self._report(self.progress)

    def _report(self, progress: Callable[[], Progress]) -> None:
        now = time.perf_counter()
        if self.options.progress and now - self.reported > self.progress_every:
            self.reported = now
            self.options.progress(progress())

    def progress(self) -> Progress:
        """The progress of the search so far."""
        return Progress(
            distinct=self.distinct(),
            generated=self._generated(),
            depth=self.depth,
            frontier=self.reached,
            seconds=self.seconds,
            memory=0,
            levels=self._known_levels(),
        )

    def restart_clock(self) -> None:
        """Starts the time limit now: earlier work does not count."""
        self.clock = compile_progress.Clock(self.options.timeout)

    def limiting(self) -> AbstractContextManager[None]:
        """Ends the compilation before the search at the time limit, by TooSlow."""

        def tell(what: str) -> None:
            spent = time.perf_counter() - self.clock.begun
            asking = f"compiling {what}"
            self._report(lambda: Progress(None, None, 0, 0, spent, 0, asking=asking))

        return self.clock.limiting("no state was searched", tell)

    def remark(self, text: str) -> None:
        """Passes a remark on to the user."""
        if self.options.remark is not None:
            self.options.remark(text)

    # What is reported

    def result(self) -> Result:
        """The result of the search, before its self-check and space are added."""
        complete = not self.stopped
        points, counted = self.points(), self.design.spec.rules
        return Result(
            design=self.design.name,
            constants=self.design.values,
            engine=self.engine,
            workers=self.workers,
            complete=complete,
            distinct=self.distinct(),
            generated=self._generated(),
            depth=self.depth,
            seconds=self.seconds,
            properties=self._properties(complete),
            coverage={rule.name: n for rule, n in zip(counted, self.fired(), strict=False)},
            stopped=self.stopped,
            levels=self._known_levels(),
            compile_seconds=self.compiling,
            symmetry=tuple(found.name for found in self.symmetric),
            resumed=self.resumed,
            points=points if self.options.coverage else (),
            unmet=unmet(points) if complete and not self.resumed else (),
            bounds=dict(found_places(self.design.spec.domain)),
        )

    def _properties(self, complete: bool) -> tuple[PropertyResult, ...]:
        names = [(rule.name, rule.role) for rule in self.rules]
        if self.deadlock:
            names.append((DEADLOCK, DEADLOCK))
        known = {
            name: PropertyResult.judged(name, kind, self.begun[name], complete)
            if name in self.begun
            else self.verdict(name, kind, complete)
            for name, kind in names
        }
        for rule in self.temporal:
            undecided = PropertyResult(rule.name, rule.role, "incomplete")
            known[rule.name] = self.judged.get(rule.name, undecided)
        deadlock = [DEADLOCK] if self.deadlock else []
        return tuple(known[name] for name in [*(rule.name for rule in self.chosen), *deadlock])

    def _generated(self) -> int | None:
        """The number of initial states and of the steps out of all expanded states."""
        return None if self.distinct() is None else self.initial + sum(self.fired())

    def _known_levels(self) -> tuple[int, ...]:
        """The sizes of the levels; empty if this search did not see all, or counts no states."""
        counted = self.distinct() is not None and len(self.levels) >= self.depth
        return tuple(self.levels) if counted else ()

    # The space of the search

    def with_space(self, result: Result) -> Result:
        """The result, after it was written to the saved space, if the space is saved."""
        saver = self.saver()
        if saver is None or not self._saved:
            return result
        if self._saving(saver, lambda: saver.finish(result)):
            return replace(result, saved=self.options.save_space)
        return result

    def _save(self) -> None:
        saver = self.saver()
        self._saved = saver is not None and self._saving(saver, self.save)

    def _saving(self, saver: Saver, work: Callable[[], None]) -> bool:
        """Runs a part of the saving. Returns False, with a remark, if the space cannot be saved."""
        try:
            work()
        except (OSError, SpecmodelError, MemoryError) as wrong:
            why = getattr(wrong, "strerror", None) or str(wrong)
            why = "out of memory" if isinstance(wrong, MemoryError) else self.enough or why
            self.remark(
                f"the space is not saved in {self.options.save_space}: {why} "
                f"({saver.saved} of {saver.levels} levels are there){saver.later}"
            )
            return False
        return True
