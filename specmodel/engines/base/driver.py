"""The driver of a search, level by level: the same for every engine.

It has the limits, progress, Ctrl-C, the verdicts of temporal properties, the self-check, and the
result. What an engine adds is how it begins, goes from a level to the next, and finds its way back:
the methods under "What an engine gives".
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
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.domains import ScalarDomain
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
)
from specmodel.results.coverage import unmet
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import Reference
from specmodel.selfcheck.run import Compiled, compare, examined

if TYPE_CHECKING:
    from specmodel.liveness.graph import StateGraph


class Saver(Protocol):
    """Writes the state space of a search: of `levels` that are whole, `saved` are there so far."""

    saved: int
    levels: int

    @property
    def later(self) -> str:
        """What can be done where not all levels could be saved."""
        ...

    def finish(self, result: Result) -> None:
        """Writes what the search came to. Raises OSError."""


class Driver(ABC):
    """A search. What is made here needs no closing: `run` opens the rest, and closes all."""

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
        """How many levels are whole: all their states are found and looked at."""
        self.resumed = 0
        self.interpreter = Interpreter(design.spec)
        self.judged: dict[str, PropertyResult] = {}
        self._saved = False
        self.interrupts = 0
        self.stopped = ""
        """Why the search ends early."""
        self.enough = ""
        """Why what is made of it, once it is over, ends early."""
        self.over = False
        """Whether only the result is still to be told."""
        self.compiling = 0.0
        self.seconds_before = 0.0
        self.ended: float | None = None
        self.clock = compile_progress.Clock(options.timeout)
        self._late = False
        self.started = self.reported = time.perf_counter()

    # What an engine gives

    @abstractmethod
    def seed(self) -> int:
        """Makes the initial states the first level; gives how many they are."""

    @abstractmethod
    def advance(self) -> Sequence[int]:
        """Expands the level at `depth`; gives how many states the next has.

        It may go on from there: then it gives the sizes of all levels that were reached. The last
        may lack states if it has `stopped`.
        """

    @abstractmethod
    def violated(self) -> bool:
        """Whether something that has been found is wrong."""

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
        """Opens what `close` closes, before anything else."""
        return

    def restore(self) -> int | None:
        """Goes on with what another search has left; gives the states to expand, None if none."""
        return None

    def settle(self, level: int) -> None:
        """Takes in what a level's states have shown, and the steps to them. Raises SpecFailure."""
        return

    def boundary(self) -> None:
        """All levels that were reached are whole."""
        return

    def halt(self) -> None:
        """Has what runs end as soon as can be, from any thread: `stopped` or `enough` says why."""
        return

    def finish(self) -> None:
        """The search has ended, and its self-check."""
        return

    def close(self) -> None:
        """Closes all."""
        return

    def graph(self) -> tuple[StateGraph, Callable[[int], Any]]:
        """The graph for temporal properties, and what gives a state of it by its number.

        Raises SpecFailure where a property fails, MemoryLimit, and what `poll` does.
        """
        raise NotImplementedError

    def compiled(self) -> tuple[Reference, Sequence[Compiled]] | None:
        """What the self-check compares; None if nothing was compiled."""
        return None

    def sample(self, wanted: int) -> Iterator[Words]:
        """States to compare, of which so many are `wanted`."""
        yield from ()

    def points(self) -> tuple[PointCount, ...]:
        """What was counted of the spec's code."""
        return ()

    def saver(self) -> Saver | None:
        """What saves the space, if it is to be saved."""
        return None

    def save(self) -> None:
        """Saves the levels that are whole. Raises OSError, SpecmodelError, MemoryError."""
        return

    # The search

    def run(self) -> Result:
        """Searches, and gives what came of it. Raises SpecFailure, with a trace, Disagreement."""
        self.started = self.reported = time.perf_counter()
        return self.attended()

    def attended(self) -> Result:
        """Searches in a thread of its own; this one looks after limits, progress and Ctrl-C."""
        return attend(self.explore, self.watch, self.interrupt, self.poll_every)

    def explore(self) -> Result:
        """All that there is to open, to search, to tell and to close."""
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
            if self.violated() and not self.options.keep_going:
                self.stopped = "violation"
            self.stopped = self.stopped or self._limit()
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
        # A level may be over before the clock is looked at while it is worked on.
        return "timeout" if self.clock.late else ""

    def no_initial_state(self) -> SpecmodelError:
        """The error of a design without any."""
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
        """Raises Stopped where the search, or what is made of it, is to end."""
        if why := self.stopped if self.ended is None else self.enough:
            raise Stopped(why)

    def compare(self) -> SelfCheck | None:
        """The self-check, in states that were met; None if there is none. Raises Disagreement."""
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
        """Time spent on the search, by the runs that this one goes on with as well."""
        ended = time.perf_counter() if self.ended is None else self.ended
        return self.seconds_before + ended - self.started

    def interrupt(self) -> None:
        """What Ctrl-C does."""
        self.interrupts += 1
        self._stop("interrupted")

    def _stop(self, why: str) -> None:
        """Ends the search soon or, if it is over, what is made of it."""
        if self.ended is None:
            self.stopped = self.stopped or why
        elif why == "interrupted" or not self.stopped:
            self.enough = self.enough or why
        self.halt()

    def watch(self) -> None:
        """Looks at the clock while others work."""
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
        """How far the search has come."""
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
        """Counts the limit of time from here: what was made so far takes none of it."""
        self.clock = compile_progress.Clock(self.options.timeout)

    def limiting(self) -> AbstractContextManager[None]:
        """Ends what is compiled before the search at the limit of time, by TooSlow."""

        def tell(what: str) -> None:
            spent = time.perf_counter() - self.clock.begun
            asking = f"compiling {what}"
            self._report(lambda: Progress(None, None, 0, 0, spent, 0, asking=asking))

        return self.clock.limiting("no state was searched", tell)

    def remark(self, text: str) -> None:
        """Says what is worth knowing."""
        if self.options.remark is not None:
            self.options.remark(text)

    # What is reported

    def result(self) -> Result:
        """What came of the search, before its self-check and space are added."""
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
        )

    def _properties(self, complete: bool) -> tuple[PropertyResult, ...]:
        names = [(rule.name, rule.role) for rule in self.rules]
        if self.deadlock:
            names.append((DEADLOCK, DEADLOCK))
        known = {name: self.verdict(name, kind, complete) for name, kind in names}
        for rule in self.temporal:
            undecided = PropertyResult(rule.name, rule.role, "incomplete")
            known[rule.name] = self.judged.get(rule.name, undecided)
        deadlock = [DEADLOCK] if self.deadlock else []
        return tuple(known[name] for name in [*(rule.name for rule in self.chosen), *deadlock])

    def _generated(self) -> int | None:
        """Initial states, and the steps of all that has been expanded."""
        return None if self.distinct() is None else self.initial + sum(self.fired())

    def _known_levels(self) -> tuple[int, ...]:
        """The sizes of the levels; empty if this search did not see all, or counts no states."""
        counted = self.distinct() is not None and len(self.levels) >= self.depth
        return tuple(self.levels) if counted else ()

    # The space of the search

    def with_space(self, result: Result) -> Result:
        """The result, which goes to the space as well, if that is saved."""
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
        """Does some of the work of saving. False if something keeps it from that: a remark."""
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
