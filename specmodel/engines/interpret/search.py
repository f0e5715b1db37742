"""Breadth-first search over CPython states, level by level.

A state's key is its place in the canonical order of the state's domain, so states compare as
numbers. Of all shortest counterexamples it reports the one that is least by a fixed rule: the least
violating state of its level, reached through the least predecessor of each state and its first
binding. The native engine follows the same rule.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from specmodel.design import Design
from specmodel.engines.interpret.failures import (
    failure_after,
    property_failure,
    step_failure,
    transition_failure,
)
from specmodel.engines.interpret.orbits import Orbits, interchangeable, least_index
from specmodel.engines.interpret.steps import Interpreter
from specmodel.engines.interpret.survey import Survey
from specmodel.errors import SpecmodelError
from specmodel.lang.spec import Rule
from specmodel.liveness import Stopped, refuse_unfit
from specmodel.liveness.formulas import is_temporal
from specmodel.results import (
    DEADLOCK,
    Options,
    Progress,
    PropertyResult,
    Result,
    SpecFailure,
    Trace,
)
from specmodel.results.coverage import unmet


def check(design: Design, options: Options = Options()) -> Result:
    """Explore a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails."""
    return _Search(design, options).run()


@dataclass
class _Found:
    """The least hit of a property in the first level with one: a state, maybe and a step."""

    key: int
    binding: int | None = None
    outside: Any = None

    def rank(self) -> tuple[int, int]:
        return (self.key, -1 if self.binding is None else self.binding)


@dataclass
class _Broken:
    """The least failure of a property in a level: state and property, and the way there."""

    rank: tuple[int, int]
    found: _Found


@dataclass
class _Search:
    design: Design
    options: Options
    parents: dict[int, int | None] = field(default_factory=dict[int, int | None])
    found: dict[str, _Found] = field(default_factory=dict[str, _Found])
    generated: int = 0
    broken: _Broken | None = None
    levels: list[list[int]] = field(default_factory=list[list[int]])
    judged: dict[str, PropertyResult] = field(default_factory=dict[str, PropertyResult])

    def __post_init__(self) -> None:
        self.interpreter = Interpreter(self.design.spec)
        self.index, self.at = self.interpreter.domain.index, self.interpreter.domain.at
        self.chosen = self.design.chosen(self.options.properties)
        self.rules = [rule for rule in self.chosen if not is_temporal(rule)]
        self.temporal = [rule for rule in self.chosen if is_temporal(rule)]
        if self.temporal:
            refuse_unfit(self.temporal, self.options)
        self.symmetric = interchangeable(self.design, self.rules) if self.options.symmetry else ()
        self.fired = [0] * len(self.interpreter.bindings)
        wanted = self.options.deadlock
        self.deadlock = self.design.spec.deadlock if wanted is None else wanted
        self.survey = Survey(self.design.spec, self.rules, self.options.coverage)
        self.started = time.perf_counter()

    def run(self) -> Result:
        depth, stopped = 0, ""
        try:
            fresh = self._first()
            while fresh:
                depth += 1
                level, fresh = fresh, dict[int, Any]()
                self.levels.append(sorted(level))
                if self._violated() and not self.options.keep_going:
                    stopped = "violation"
                    break
                if stopped := self._limit(depth):
                    break
                self._expand(level, fresh, depth)
            if self.temporal and not stopped:
                self._judge_temporal()
        except KeyboardInterrupt:
            stopped = "interrupted"
        except Stopped as early:
            stopped = early.why
        return self._result(depth, stopped)

    def _first(self) -> dict[int, Any]:
        fresh: dict[int, Any] = {}
        hits: dict[str, _Found] = {}
        for state in self.interpreter.initial():
            self.generated += 1
            self._enter(state, None, fresh, hits)
        if not self.generated:
            raise SpecmodelError(f"{self.design.name} has no initial state")
        self._judge(hits)
        return fresh

    def _expand(self, level: dict[int, Any], fresh: dict[int, Any], depth: int) -> None:
        hits: dict[str, _Found] = {}
        for position, (key, state) in enumerate(sorted(level.items())):
            alive = False
            try:
                self.survey.expands(state)
                for number, successor in self.interpreter.successors(state):
                    alive = True
                    self.generated += 1
                    self.fired[number] += 1
                    self._pass(state, successor, _Found(key, number), hits)
                    self._enter(successor, key, fresh, hits)
            except SpecFailure:
                raise step_failure(self.interpreter, self._trace(_Found(key))) from None
            if not alive and self.deadlock and DEADLOCK not in self.found:
                _least(hits, DEADLOCK, _Found(key))
            if self.options.progress and position % 256 == 0:
                self.options.progress(self._progress(depth, len(level) - position))
        self._judge(hits)

    def _judge(self, hits: dict[str, _Found]) -> None:
        """Takes in what a level's states and the steps to them have shown."""
        if self.broken is not None:
            raise self._failure(self.broken)
        self.found |= hits

    def _judge_temporal(self) -> None:
        """Decides the temporal properties on the graph of all states. Raises Stopped at a limit."""
        from specmodel.engines.interpret.graph import state_graph
        from specmodel.liveness.verdicts import verdicts

        def poll() -> None:
            if why := self._late():
                raise Stopped(why)

        try:
            graph = state_graph(self.interpreter, self.levels, self.temporal, poll)
        except SpecFailure as failure:
            assert failure.trace is not None
            found = _Found(self.index(failure.trace.states[-1]))
            raise failure_after(self._trace(found), failure) from failure
        keys = [key for level in self.levels for key in level]
        self.judged = verdicts(
            graph, self.temporal, self.interpreter, lambda number: self.at(keys[number]), poll
        )

    def _pass(self, before: Any, after: Any, step: _Found, hits: dict[str, _Found]) -> None:
        """Looks at a step."""
        self.survey.steps_to(before, after)
        for number, rule in enumerate(self.rules):
            if rule.role == "transition" and rule.name not in self.found:
                try:
                    if not self.interpreter.holds(rule, before, after):
                        _least(hits, rule.name, step)
                except SpecFailure:
                    self._breaks(_Broken((step.key, number), _Found(step.key)))

    def _enter(
        self, state: Any, parent: int | None, fresh: dict[int, Any], hits: dict[str, _Found]
    ) -> None:
        key = self._key(state)
        if key in self.parents:
            known = self.parents[key]
            if key in fresh and parent is not None and known is not None and parent < known:
                self.parents[key] = parent
            return
        if self.symmetric:
            state = self.at(key)
        place, way = len(self.rules), _Found(key, None, (key, parent))
        try:
            inside = self.interpreter.inside(state)
            for number, rule in enumerate(self.rules):
                place = number
                if rule.role == "transition" or rule.name in self.found:
                    continue
                if rule.role == "reachable" and not inside:
                    continue
                if self.interpreter.holds(rule, state) == (rule.role == "reachable"):
                    _least(hits, rule.name, _Found(key) if inside else way)
        except SpecFailure:
            self._breaks(_Broken((key, place), way))
            return
        if inside:
            self.survey.sees(state)
            self.parents[key] = parent
            fresh[key] = self.interpreter.domain.copy(state)

    def _breaks(self, broken: _Broken) -> None:
        if self.broken is None or broken.rank < self.broken.rank:
            self.broken = broken

    def _violated(self) -> bool:
        kinds = {r.name: r.role for r in self.rules}
        return any(kinds.get(name) != "reachable" for name in self.found)

    def _limit(self, depth: int) -> str:
        options = self.options
        if options.max_states is not None and len(self.parents) >= options.max_states:
            return "max-states"
        if options.max_depth is not None and depth >= options.max_depth:
            return "max-depth"
        return self._late()

    def _late(self) -> str:
        limit = self.options.timeout
        late = limit is not None and time.perf_counter() - self.started > limit
        return "timeout" if late else ""

    def _progress(self, depth: int, left: int) -> Progress:
        spent = time.perf_counter() - self.started
        sizes = tuple(map(len, self.levels))
        return Progress(len(self.parents), self.generated, depth, left, spent, 0, levels=sizes)

    def _key(self, state: Any) -> int:
        """The place of a state in the canonical order; with symmetry, that of its orbit's least."""
        if self.symmetric:
            return least_index(self.interpreter, self.symmetric, state)
        return self.index(state)

    def _trace(self, found: _Found, broken: Rule | None = None) -> Trace:
        """The way to what was found, with the step that breaks a transition property, if any."""
        keys: list[int] = []
        key: int | None = found.key
        if found.outside is not None:
            keys, key = [found.key], found.outside[1]
        while key is not None:
            keys.append(key)
            key = self.parents[key]
        keys.reverse()
        if not self.symmetric:
            last = found.binding if broken else None
            return self.interpreter.behaviour([self.at(k) for k in keys], last)
        orbits = Orbits(self.interpreter, self._key)
        trace = orbits.behaviour(self.at(keys[0]), keys[1:])
        return orbits.breaking(trace, broken) if broken else trace

    def _failure(self, broken: _Broken) -> SpecFailure:
        bounds = self.design.spec.bounds
        rule, trace = [*self.rules, *bounds][broken.rank[1]], self._trace(broken.found)
        if rule.role == "transition":
            return transition_failure(self.interpreter, trace, rule)
        return property_failure(self.interpreter, trace, [rule, *bounds])

    def _result(self, depth: int, stopped: str) -> Result:
        complete = not stopped
        properties = [
            self.judged[rule.name] if rule.name in self.judged else self._judged(rule, complete)
            for rule in self.chosen
        ]
        if self.deadlock:
            found = self.found.get(DEADLOCK)
            trace = self._trace(found) if found else None
            properties.append(PropertyResult.judged(DEADLOCK, DEADLOCK, trace, complete))
        coverage: dict[str, int] = {r.name: 0 for r in self.design.spec.rules}
        for (rule, _), count in zip(self.interpreter.bindings, self.fired, strict=True):
            coverage[rule.name] += count
        points = self.survey.points()
        return Result(
            design=self.design.name,
            constants=self.design.values,
            engine="interpret",
            workers=1,
            complete=complete,
            distinct=len(self.parents),
            generated=self.generated,
            depth=depth,
            seconds=time.perf_counter() - self.started,
            properties=tuple(properties),
            coverage=coverage,
            stopped=stopped,
            levels=tuple(map(len, self.levels)),
            symmetry=tuple(found.name for found in self.symmetric),
            points=points if self.survey.everything else (),
            unmet=unmet(points) if complete else (),
        )

    def _judged(self, rule: Rule, complete: bool) -> PropertyResult:
        found = self.found.get(rule.name)
        broken = rule if rule.role == "transition" else None
        trace = self._trace(found, broken) if found else None
        return PropertyResult.judged(rule.name, rule.role, trace, complete)


def _least(hits: dict[str, _Found], name: str, found: _Found) -> None:
    if name not in hits or found.rank() < hits[name].rank():
        hits[name] = found
