"""Breadth-first search over the states of a TLA+ module, with the generic evaluator.

What is generated, counted as distinct, checked and kept is as in TLC: a state outside the
constraints is checked, but neither counted nor expanded, and as a successor it is no deadlock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from specmodel.design import Design
from specmodel.engines.base.driver import Driver
from specmodel.errors import Span, SpecError
from specmodel.ir.compile_progress import Clock
from specmodel.liveness import Stopped
from specmodel.liveness.linear_time import TooManyWays
from specmodel.results import (
    DEADLOCK,
    Options,
    Progress,
    PropertyResult,
    Result,
    SpecFailure,
    Trace,
)
from specmodel.tla.actions import ActionReader
from specmodel.tla.calling import NO_NEXT_VALUE, no_truth
from specmodel.tla.claims import NOT_FOLLOWED, TemporalClaim
from specmodel.tla.model import TlaModel, TlaRule
from specmodel.tla.named_steps import step_between
from specmodel.tla.pausing import HALT, wait
from specmodel.tla.recursion import too_deep
from specmodel.tla.scopes import Run
from specmodel.tla.specification import Specification
from specmodel.tla.splitting import Action
from specmodel.tla.symmetry import PermutedStates, lowest
from specmodel.tla.tlc_get import NoLevel
from specmodel.tla.values import FALSE, TRUE, EvaluationError, Value, settled
from specmodel.tla.written import WrittenValue, values_of

if TYPE_CHECKING:
    from specmodel.liveness.judge import Behaviour
    from specmodel.tla.liveness import TlaGraph

TlaTuple = tuple[Value, ...]

AFTER_VIOLATION = 1.0
"""Seconds for which the level of a violation goes on: others may be found there."""


class FoundEnd(NamedTuple):
    """The end of a counterexample: the key of a state before, and the state after, if any."""

    key: Any
    after: TlaTuple | None


class TlaSearch(Driver):
    """The search. `seen` has for each key of a state the state and the key of the one before."""

    engine = "interpret"

    def __init__(self, design: Design, options: Options) -> None:
        super().__init__(design, options)
        model = design.spec
        assert isinstance(model, TlaModel)
        self.model = model
        self.spec = spec = model.specification
        self.claims = [
            rule.claim for rule in self.chosen if isinstance(rule, TlaRule) and rule.claim
        ]
        self.blank: TlaTuple = (None,) * len(spec.variables)
        self.seen: dict[Any, tuple[TlaTuple, Any]] = {}
        self.outside: dict[Any, tuple[TlaTuple, Any]] = {}
        self.fresh: list[Any] = []
        self.level: list[Any] = []
        self.position = 0
        """The state of the level that is expanded next: a search that was stopped goes on there."""
        self.hits: dict[str, FoundEnd] = {}
        self.taken = dict.fromkeys((rule.name for rule in model.rules), 0)
        self.orbits = PermutedStates(spec.symmetry) if spec.symmetry else None
        self.live = [claim for claim in self.claims if claim.temporal and not claim.undecided]
        self.following: list[list[TlaTuple]] = []
        """The states that each state leads to, if a claim is about behaviours."""
        self.lassos: dict[str, PropertyResult] = {}
        self.judging: Clock | None = None
        """The time limit for the claims about behaviours, if it is not that of the search."""

    def halt(self) -> None:
        if self.ended is None:
            HALT.append(self.stopped or self.enough)

    def finish(self) -> None:
        HALT.clear()  # a search that was stopped still makes the traces of what it found

    # Levels

    def going_on(self, options: Options) -> TlaSearch:
        """This search, which was stopped: with other options, it goes on from there."""
        self.options, self.clock, self.judging = options, Clock(options.timeout), None
        self.seconds_before = self.seconds
        self.stopped, self.ended, self._late = "", None, False
        if not self.levels:
            for found in (self.seen, self.outside, self.hits, self.fresh):
                found.clear()
            self.initial = 0
        return self

    def restore(self) -> int | None:
        if not self.levels:
            return None
        if self.position < len(self.level):
            del self.levels[self.whole :]  # the next one lacks states
        states = self.levels.pop()
        self.depth = len(self.levels)
        return states

    def seed(self) -> int:
        for state in self.initial_states():
            self.initial += 1
            self._enter(state, None, first=True)
        if self.spec.initial and not self.initial:
            raise self.no_initial_state()
        return len(self.fresh)

    def initial_states(self) -> Iterator[TlaTuple]:
        """The initial states, some of them several times. Raises SpecFailure."""
        if self.model.starts is not None:
            yield from map(values_of, self.model.starts)
            return
        try:
            yield from initial_states(self.spec)
        except EvaluationError as wrong:
            raise self._failure(wrong, "Init", None) from None
        except RecursionError:
            raise self._failure(too_deep(), "Init", None) from None

    def advance(self) -> Sequence[int]:
        if self.position == len(self.level):
            self.level, self.position, self.fresh = self.fresh, 0, []
        violated = 0.0
        while self.position < len(self.level) and not self.stopped:
            wait()
            self.expand_next()
            if self.hits and not self.options.keep_going:
                violated = violated or time.perf_counter()
                if time.perf_counter() - violated > AFTER_VIOLATION:
                    self.stopped = "violation"
        return [len(self.fresh)]

    def expand_next(self) -> None:
        """Expands the state at `position` of the level."""
        taken = self.taken.copy()
        try:
            self.expand(self.level[self.position])
        except Stopped:
            self.taken = taken
            raise
        self.position += 1

    def search_levels(self) -> None:
        super().search_levels()
        if self.live and not self.stopped:
            if self.judging is not None:
                self.clock = self.judging
            self.judge_claims()

    def judge_claims(self) -> None:
        """Decides the claims about behaviours."""
        from specmodel.tla.liveness import TlaGraph  # numpy takes a while to import

        numbers = {key: number for number, key in enumerate(self.seen)}
        following = [
            [numbers[after] for after in found if after in numbers] for found in self.following
        ]
        states = [state for state, _ in self.seen.values()]
        graph = TlaGraph.of(states, following, self.levels, self.poll)
        self.lassos = self.lassos_of(graph)

    def lassos_of(self, graph: TlaGraph) -> dict[str, PropertyResult]:
        """The claims about behaviours that are violated. Raises SpecFailure."""
        lassos: dict[str, PropertyResult] = {}
        for claim in self.live:
            for each in claim.temporal:
                try:
                    found = graph.violating(each, self.spec.fairness, self.spec.assumed)
                    if found is not None:
                        lassos[claim.name] = self._lasso(claim.name, each, graph, found)
                        break
                except TooManyWays as wrong:
                    what = f"this temporal formula is too large: {wrong}"
                    claim.undecided.append(SpecError(what, each.span))
                    break
                except EvaluationError as wrong:
                    if not wrong.message.endswith(NO_NEXT_VALUE):
                        raise self._failure(wrong, claim.name, None) from None
                    # An action of a refined module may prime expressions, not variables.
                    what = f"ENABLED of an action whose {wrong.message} is not followed"
                    claim.undecided.append(SpecError(what, wrong.span))
                    break
        return lassos

    def expand(self, key: Any) -> None:
        """Takes all steps from a state."""
        state, alive = self.seen[key][0], False
        following: list[TlaTuple] = []
        for action, after in self.steps(key, state):
            alive = True
            self.taken[action.name] += 1
            allowed = self.examine_step(key, state, after)
            self._enter(after, key, allowed=allowed)
            if allowed:
                following.append(after)
        if self.live:
            self.following.append(following)
        if not alive and self.deadlock:
            self.hits.setdefault(DEADLOCK, FoundEnd(key, None))

    def steps(self, key: Any, state: TlaTuple) -> Iterator[tuple[Action, TlaTuple]]:
        """The actions and next states of a state. Raises SpecFailure."""
        for action in self.spec.actions:
            try:
                for _, after in action.successors(state, self.blank):
                    if None in after:
                        refuse_missing(self.spec, after, action.name, action.span)
                    yield action, after
            except EvaluationError as wrong:
                raise self._failure(wrong, action.name, key) from None
            except RecursionError:
                raise self._failure(too_deep(), action.name, key) from None

    def examine_step(self, key: Any, state: TlaTuple, after: TlaTuple) -> bool:
        """Checks a step; returns whether it is within the constraints."""
        for claim in self.claims:
            if claim.steps and claim.name not in self.hits:
                for run in claim.steps:
                    if self._false(run, claim.name, claim.span, state, after, key):
                        self.hits.setdefault(claim.name, FoundEnd(key, after))
        allowed = True
        for name, run, span in self.spec.step_constraints:
            if self._false(run, name, span, state, after, key):
                allowed = False
        return allowed

    def _enter(
        self, state: TlaTuple, parent: Any, first: bool = False, allowed: bool = True
    ) -> None:
        """Checks a state, and keeps it if it is new and within the constraints."""
        key = self._key(state)
        if key in self.seen:
            return
        inside = allowed and self.inside(state, parent)
        if inside:
            self.seen[key] = (state, parent)
            self.fresh.append(key)
        if self.examine(state, key, parent, first) and not inside:
            self.outside[key] = (state, parent)

    def inside(self, state: TlaTuple, parent: Any) -> bool:
        """Whether a state is within the constraints."""
        return not any(
            self._false(run, name, span, state, None, parent)
            for name, run, span in self.spec.constraints
        )

    def examine(self, state: TlaTuple, key: Any, parent: Any, first: bool) -> bool:
        """Checks a state; returns whether a property is false that was not so before."""
        before = len(self.hits)
        for claim in self.claims:
            if claim.name in self.hits:
                continue
            for run in [*(claim.first if first else ()), *claim.states]:
                if self._false(run, claim.name, claim.span, state, None, parent):
                    self.hits.setdefault(claim.name, FoundEnd(key, None))
        return len(self.hits) > before

    def examine_first(self, state: TlaTuple) -> None:
        """Checks what properties say of initial states alone."""
        for claim in self.claims:
            for run in claim.first if claim.name not in self.hits else ():
                if self._false(run, claim.name, claim.span, state, None, None):
                    self.outside[state] = state, None
                    self.hits[claim.name] = FoundEnd(state, None)

    def _false(
        self,
        run: Run,
        name: str,
        span: Span | None,
        state: TlaTuple,
        after: TlaTuple | None,
        key: Any,
    ) -> bool:
        try:
            value = run((), state, after)
            if value is not TRUE and value is not FALSE:
                assert span is not None
                raise no_truth(value, span)
        except EvaluationError as wrong:
            last = state if after is None else after
            raise self._failure(wrong, name, key, last) from None
        except RecursionError:
            raise self._failure(too_deep(), name, key) from None
        return value is FALSE

    def _key(self, state: TlaTuple) -> Any:
        """The key of a state in the visited set: its view, or the least one of its orbit."""
        view = self.spec.view
        if view is None:
            return state if self.orbits is None else self.orbits.least(state)
        if self.orbits is None:
            return settled(view((), state, None))
        return lowest([settled(view((), one, None)) for one in self.orbits.orbit(state)])

    def _failure(
        self, wrong: SpecError, where: str, key: Any, last: TlaTuple | None = None
    ) -> SpecFailure:
        states = [] if key is None else self._path(key)
        if last is not None:
            states.append(last)
        trace = self.trace_of(states) if states else None
        return SpecFailure(wrong.message, wrong.span, wrong.hint, trace=trace, where=where)

    # Traces

    def _path(self, key: Any) -> list[TlaTuple]:
        """The states on the way to one that was found."""
        path: list[TlaTuple] = []
        state, parent = self.outside.get(key) or self.seen[key]
        path.append(state)
        while parent is not None:
            state, parent = self.seen[parent]
            path.append(state)
        return path[::-1]

    def trace_of(self, states: Sequence[TlaTuple]) -> Trace:
        """The trace through some states."""
        steps = tuple(map(partial(step_between, self.spec), states, states[1:]))
        build = self.model.domain.build
        return Trace(tuple(build(list(map(WrittenValue, state))) for state in states), steps)

    def failing_action(self, state: TlaTuple) -> tuple[str, EvaluationError | None]:
        """The name of the action whose evaluation fails in a state, and how; empty if none does."""
        for action in self.spec.actions:
            try:
                for _ in action.successors(state, self.blank):
                    pass
            except EvaluationError as wrong:
                return action.name, wrong
            except RecursionError:
                return action.name, None
        return "", None

    def _lasso(
        self, name: str, claim: TemporalClaim, graph: TlaGraph, behaviour: Behaviour
    ) -> PropertyResult:
        """The result for a behaviour that violates a claim, whose fairness is checked once more."""
        from specmodel.tla.lassos import facts  # numpy takes a while to import

        states = [graph.states[number] for number in behaviour.states]
        loop = behaviour.loop
        found = self.trace_of(states)
        ends = states[-1], states[loop]
        back = step_between(self.spec, *ends) if loop < len(states) - 1 else None
        trace = Trace(found.states, found.steps, loop, back)
        lasso = facts(self.spec, claim, graph, behaviour)
        if not lasso.fair:
            raise AssertionError(f"the behaviour that violates {name} is not fair")
        return PropertyResult(name, "temporal", "violated", trace, lasso)

    # What is reported

    def distinct(self) -> int:
        return len(self.seen)

    def fired(self) -> Sequence[int]:
        return list(self.taken.values())

    def violated(self) -> bool:
        return bool(self.hits)

    def verdict(self, name: str, kind: str, complete: bool) -> PropertyResult:
        if name in self.lassos:
            return self.lassos[name]
        trace = None
        if name in self.hits:
            hit = self.hits[name]
            states = self._path(hit.key)
            if hit.after is not None:
                states.append(hit.after)
            trace = self.trace_of(states)
        claim = next((claim for claim in self.claims if claim.name == name), None)
        undecided = claim is not None and bool(claim.undecided)
        return PropertyResult.judged(name, kind, trace, complete and not undecided)

    def result(self) -> Result:
        found = super().result()
        if found.stopped or found.verdict != "incomplete":
            return found
        return replace(found, stopped=NOT_FOLLOWED)

    def progress(self) -> Progress:
        return replace(super().progress(), frontier=len(self.level) - self.position)


def initial_states(spec: Specification) -> Iterator[TlaTuple]:
    """The initial states of a module, some of them several times. Raises EvaluationError.

    A module without behaviours, whose ASSUMEs hold, has none.
    """
    if not spec.initial:
        return
    blank: Any = (None,) * len(spec.variables)
    if spec.level is not None:
        blank = (*blank[:-1], NoLevel())
    step = ActionReader(spec.builder, primed=True).steps(spec.initial, 0)
    for state in step((), blank, blank):
        refuse_missing(spec, state, "an initial state", spec.initial[0][0].span)
        yield state if spec.level is None else (*state[:-1], 1)


def refuse_missing(spec: Specification, state: TlaTuple, where: str, span: Span) -> None:
    """Raises EvaluationError for a state in which a variable has no value."""
    missing = [n for n, v in zip(spec.variables, state, strict=True) if v is None]
    if missing:
        what = f"{where} gives {', '.join(missing)} no value"
        raise EvaluationError(what, span, "TLC asks for a value of each variable")
