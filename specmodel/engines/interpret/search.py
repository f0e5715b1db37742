"""Breadth-first search over CPython states, level by level.

A state's key is its place in the canonical order of the state's domain, so states compare as
numbers. Of all shortest counterexamples it reports the one that is least by a fixed rule: the least
violating state of its level, reached through the least predecessor of each state and its first
binding. The native engine follows the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from specmodel.behaviour.failures import failure_after
from specmodel.behaviour.orbits import least_index
from specmodel.design import Design
from specmodel.engines.base.driver import Driver
from specmodel.engines.base.findings import Findings, Words
from specmodel.engines.interpret.coverage_counts import InterpretedCoverage
from specmodel.engines.interpret.graph import state_graph
from specmodel.kernel.context import (
    DEADLOCK,
    FIRST_PROPERTY,
    PROPERTY_FAILURE,
    STEP_FAILURE,
    NotedState,
    keep_least,
)
from specmodel.results import Options, PointCount, Progress, PropertyResult, Result, SpecFailure

if TYPE_CHECKING:
    from specmodel.liveness.graph import StateGraph

LOOK = 256
"""States that are expanded between looks at the clock."""


def check(design: Design, options: Options = Options()) -> Result:
    """Explore a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails."""
    return _InterpretedSearch(design, options).run()


class _InterpretedSearch(Driver):
    """The search. `parents` has all states, `fresh` those of the level to expand.

    `outside` has the states with findings that are beyond the constraints, or in which the spec
    fails.
    """

    engine = "interpret"

    def __init__(self, design: Design, options: Options) -> None:
        super().__init__(design, options)
        self.index, self.at = self.interpreter.domain.index, self.interpreter.domain.at
        self.parents: dict[int, int | None] = {}
        self.outside: dict[int, int | None] = {}
        self.fresh: dict[int, Any] = {}
        self.keys: list[list[int]] = []
        self.found: dict[int, NotedState] = {}
        self.left = 0
        self.taken = [0] * len(self.interpreter.bindings)
        self.coverage_counts = InterpretedCoverage(design.spec, self.rules, options.coverage)
        orbit_of = self._orbit_of if self.symmetric else None
        self.findings = Findings(
            self.interpreter, self.rules, lambda words: self.at(words[0]), self._path, orbit_of
        )
        self.restart_clock()

    def attended(self) -> Result:
        """Runs in this thread.

        Ctrl-C has to end the spec's own functions, which may run for ever.
        """
        return self.explore()

    # Levels

    def search_levels(self) -> None:
        try:
            super().search_levels()
        except KeyboardInterrupt:
            self.stopped = "interrupted"

    def seed(self) -> int:
        for state in self.interpreter.initial():
            self.initial += 1
            self._enter(state, None)
        if not self.initial:
            raise self.no_initial_state()
        return len(self.fresh)

    def advance(self) -> Sequence[int]:
        level, self.fresh = self.fresh, {}
        self.keys.append(sorted(level))
        for position, key in enumerate(self.keys[-1]):
            if position % LOOK == 0:
                self.left = len(level) - position
                self.watch()
                if self.stopped:
                    break
            self._expand(key, level[key])
        return [len(self.fresh)]

    def settle(self, level: int) -> None:
        self.findings.take(self.found, level)
        self.found = {}

    def _expand(self, key: int, state: Any) -> None:
        alive = False
        try:
            self.coverage_counts.expands(state)
            for number, successor in self.interpreter.successors(state):
                alive = True
                self.taken[number] += 1
                self._pass(state, successor, NotedState((key,), number))
                self._enter(successor, key)
        except SpecFailure:
            self.findings.take({STEP_FAILURE: NotedState((key,), 0)}, self.depth)
        if not alive and self.deadlock:
            keep_least(self.found, DEADLOCK, NotedState((key,), 0))

    def _pass(self, before: Any, after: Any, step: NotedState) -> None:
        """Checks a step."""
        self.coverage_counts.steps_to(before, after)
        for number, rule in enumerate(self.rules):
            record = FIRST_PROPERTY + number
            if rule.role == "transition" and record not in self.findings.hits:
                try:
                    if not self.interpreter.holds(rule, before, after):
                        keep_least(self.found, record, step)
                except SpecFailure:
                    keep_least(self.found, PROPERTY_FAILURE, NotedState(step.words, number))

    def _enter(self, state: Any, parent: int | None) -> None:
        """Checks a state, and keeps it if it is new and within the constraints."""
        key = self._key(state)
        if key in self.parents:
            return
        if self.symmetric:
            state = self.at(key)
        place = len(self.rules)
        try:
            inside = self.interpreter.inside(state)
            for number, rule in enumerate(self.rules):
                place, record = number, FIRST_PROPERTY + number
                if rule.role == "transition" or record in self.findings.hits:
                    continue
                if rule.role == "reachable" and not inside:
                    continue
                if self.interpreter.holds(rule, state) == (rule.role == "reachable"):
                    self.outside.setdefault(key, parent)
                    keep_least(self.found, record, NotedState((key,), 0))
        except SpecFailure:
            self.outside.setdefault(key, parent)
            keep_least(self.found, PROPERTY_FAILURE, NotedState((key,), place))
            return
        if inside:
            self.coverage_counts.sees(state)
            self.parents[key] = parent
            self.fresh[key] = self.interpreter.domain.copy(state)

    def _key(self, state: Any) -> int:
        """The place of a state, or of its orbit's least state, in the canonical order."""
        if self.symmetric:
            return least_index(self.interpreter, self.symmetric, state)
        return self.index(state)

    def _orbit_of(self, state: Any) -> Words:
        return (self._key(state),)

    def _path(self, words: Words, level: int) -> list[Words]:
        """The keys of the states on the way to a visited state, each as the words of a state."""
        (key,) = words
        parent = self.parents[key] if key in self.parents else self.outside[key]
        path = [words]
        while parent is not None:
            path.append((parent,))
            parent = self.parents[parent]
        return path[::-1]

    # Temporal properties

    def graph(self) -> tuple[StateGraph, Callable[[int], Any]]:
        try:
            graph = state_graph(self.interpreter, self.keys, self.temporal, self.poll)
        except SpecFailure as failure:
            assert failure.trace is not None
            path = self._path((self.index(failure.trace.states[-1]),), self.depth)
            trace = self.interpreter.behaviour([self.at(key) for (key,) in path])
            raise failure_after(trace, failure) from failure
        keys = [key for level in self.keys for key in level]
        return graph, lambda number: self.at(keys[number])

    def poll(self) -> None:
        self.watch()  # in this engine, no other thread watches the clock
        super().poll()

    # What is reported

    def distinct(self) -> int:
        return len(self.parents)

    def fired(self) -> Sequence[int]:
        counts = dict.fromkeys((rule.name for rule in self.design.spec.rules), 0)
        for (rule, _), taken in zip(self.interpreter.bindings, self.taken, strict=True):
            counts[rule.name] += taken
        return list(counts.values())

    def violated(self) -> bool:
        return self.findings.violated

    def verdict(self, name: str, kind: str, complete: bool) -> PropertyResult:
        return self.findings.verdict(name, kind, complete)

    def progress(self) -> Progress:
        return replace(super().progress(), frontier=self.left)

    def points(self) -> tuple[PointCount, ...]:
        return self.coverage_counts.points()
