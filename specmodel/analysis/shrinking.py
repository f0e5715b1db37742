"""Shortens the trace of a walk to a short trace to the same finding.

First, the states of the first levels are searched, within a budget: a finding there gives a
shortest trace. Otherwise steps are removed from the trace as long as the rest still ends in the
finding (Zeller and Hildebrandt's delta debugging, 2002), and the search is tried from states along
the trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.model.model import LIVENESS, Rule
from specmodel.results import DEADLOCK, Options, SpecFailure, Trace


@dataclass(frozen=True)
class Budget:
    """The limits of shrinking: states for each search (0: none), steps tried in all."""

    states: int
    steps: int


STEPS = 20_000
"""The default for the steps tried in all."""


@dataclass(frozen=True)
class Shrunk:
    """A shorter trace to the same finding.

    `shortest`: no trace to it is shorter. `irreducible`: without any one of its steps, and the
    steps that cannot happen then, it does not end in the finding; False if this was not tried to
    the end.
    """

    trace: Trace
    shortest: bool
    irreducible: bool = False


class Finding:
    """A violated property, a deadlock, or a failure of the spec, to be found at a trace's end."""

    def __init__(self, design: Design, name: str, failure: SpecFailure | None = None) -> None:
        """`name` is that of the property, `deadlock`, or empty for a failure."""
        self.design = design
        self.name = name
        self.failure = failure
        named = failure is None and name != DEADLOCK
        self.rule: Rule | None = design.chosen([name])[0] if named else None
        self.interpreter = Interpreter(design.spec)

    def at(self, before: Any | None, state: Any) -> bool:
        """Whether the finding is in a state, or in the step to it from the state before."""
        if self.failure is not None:
            failure = failure_in(self.design, self.interpreter, before, state)
            return failure is not None and self._same(failure)
        try:
            found = self.interpreter.found(self.rule, [s for s in (before, state) if s is not None])
            return found and (self.rule is not None or self.interpreter.inside(state))
        except SpecFailure:
            return False

    def search(self, engine: str, start: Any | None, depth: int, states: int) -> Shrunk | None:
        """The shortest trace to it of at most `depth` states, from a state or the initial ones.

        None: there is none, or none was found before the limit of states.
        """
        if not states:
            return None
        design = self.design
        if start is not None:
            design = replace(design, spec=design.spec.starting_in(start))
        alone = self.rule is not None
        names = [rule.name for rule in _of_states_and_steps(design)]
        options = Options(
            properties=(self.name,) if alone else tuple(names),
            keep_going=not alone,
            deadlock=self.name == DEADLOCK,
            max_depth=depth,
            max_states=states,
            self_check=0,  # CPython replays the trace that it finds
        )
        try:
            result = registry.engine(engine).check(design, options)
        except SpecFailure as failure:
            found = failure.trace if self._same(failure) else None
        else:
            found = None if self.failure is not None else result[self.name].trace
        return Shrunk(found, start is None) if found and found.length <= depth else None

    def _same(self, failure: SpecFailure) -> bool:
        wanted = self.failure
        if wanted is None:
            return False
        return (failure.message, failure.span) == (wanted.message, wanted.span)


def _of_states_and_steps(design: Design) -> list[Rule]:
    """The properties that walks check."""
    return [rule for rule in design.spec.properties if rule.role not in LIVENESS]


def failure_in(
    design: Design, interpreter: Interpreter, before: Any | None, state: Any
) -> SpecFailure | None:
    """The failure of the spec in a state, or in the step to it, or None."""
    try:
        outside = not interpreter.inside(state)
        for rule in _of_states_and_steps(design):
            if rule.refined is not None and before is None:
                interpreter.holds(rule, state)
            elif rule.states == 2 and before is not None:
                interpreter.holds(rule, before, state)
            elif rule.states == 1 and not (outside and rule.role == "reachable"):
                interpreter.holds(rule, state)
        for _ in () if outside else interpreter.successors(state):
            pass
    except SpecFailure as failure:
        return failure
    return None


def shrink(
    finding: Finding,
    states: Sequence[Any],
    bindings: Sequence[int],
    engine: str,
    budget: Budget | None = None,
) -> Shrunk:
    """A trace to a finding, no longer than that of a walk, which is given by states and bindings.

    The interpreter makes every state and step of it.
    """
    return _Shrinking(
        finding, engine, budget or Budget(registry.engine(engine).shortens, STEPS)
    ).run(states, bindings)


class _Shrinking:
    def __init__(self, finding: Finding, engine: str, budget: Budget) -> None:
        self.finding = finding
        self.interpreter = finding.interpreter
        self.engine = engine
        self.budget = budget
        self.tried = 0

    def run(self, states: Sequence[Any], bindings: Sequence[int]) -> Shrunk:
        found = self.finding.search(self.engine, None, len(states), self.budget.states)
        if found is not None:
            return found
        path, taken = self._fewer(list(states), list(bindings))
        at = 0
        while at < len(path) - 1:
            length = len(path) - at - 1
            rest = self.finding.search(self.engine, path[at], length, self.budget.states)
            if rest is None:
                at += max(1, length // 2)
                continue
            head = path[: at + 1]
            tail = [self.interpreter.numbers[str(step)] for step in rest.trace.steps]
            path, taken = self._fewer([*head, *rest.trace.states[1:]], [*taken[:at], *tail])
            at = 0
        steps = tuple(map(self.interpreter.step, taken, path))
        return Shrunk(Trace(tuple(path), steps), False, self.tried < self.budget.steps)

    def _fewer(self, states: list[Any], taken: list[int]) -> tuple[list[Any], list[int]]:
        """Removes steps, many at a time and then fewer, while the rest still has the finding."""
        size, length = max(1, len(taken) // 2), len(taken) + 1
        while size > 1 or len(taken) < length:
            length, at = len(taken), 0
            while at < len(taken) and self.tried < self.budget.steps:
                rest = [*taken[:at], *taken[at + size :]]
                shorter = self._replayed(states[0], rest)
                if shorter is not None:
                    states, taken = shorter
                else:
                    at += size
            size = max(1, size // 2)
        return states, taken

    def _replayed(self, initial: Any, taken: list[int]) -> tuple[list[Any], list[int]] | None:
        """The steps up to the finding, without those that cannot happen; None: not reached."""
        states, made = [initial], list[int]()
        if self.finding.at(None, initial):
            return states, made
        for number in taken:
            if not self.interpreter.inside(states[-1]):
                return None
            self.tried += 1
            try:
                after = self.interpreter.successor(states[-1], number)
            except SpecFailure:
                return None
            if after is None:
                continue
            states.append(after)
            made.append(number)
            if self.finding.at(states[-2], after):
                return states, made
        return None
