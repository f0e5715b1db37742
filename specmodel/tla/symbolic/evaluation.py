"""The common part of the evaluation of all terms of TLA+: names, path, and dispatch by kind."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import SpecError
from specmodel.ir.symbolic.graph import Node
from specmodel.tla import nodes as syntax
from specmodel.tla.building import Builder
from specmodel.tla.calling import TemporalFormula
from specmodel.tla.nodes import TlaTerm
from specmodel.tla.pausing import HALT, poll
from specmodel.tla.scopes import (
    TlaScope,
    TlaSymbol,
)
from specmodel.tla.symbolic.call_depths import RecursionDepths
from specmodel.tla.symbolic.operators import SymbolicOperators
from specmodel.tla.symbolic.path import EvaluationPath, NotCompiled, NotedFailures
from specmodel.tla.symbolic.values import FunctionRule, StateValue
from specmodel.tla.symbolic.visits import Visits

MOST_NESTED = 160
"""The most definitions that are put in place of each other; a recursion has an end before."""


@dataclass(eq=False)
class BoundSymbol(TlaSymbol):
    """A name that is bound to a value."""

    value: StateValue


@dataclass(eq=False)
class LazySymbol(TlaSymbol):
    """A name that stands for a term, seen from a scope, which is evaluated where it is used."""

    term: TlaTerm
    scope: TlaScope
    kept: dict[bool, Kept] = field(default_factory=dict[bool, "Kept"])


class Kept:
    """A value that is evaluated once for each path: one holds on all longer paths."""

    def __init__(self, evaluator: TermEvaluation, make: Callable[[], StateValue]) -> None:
        self.evaluator = evaluator
        self.make = make
        self.found: list[tuple[set[int], list[StateValue | None], StateValue, NotedFailures]] = []

    def value(self) -> StateValue:
        """The value on the current path, with its failures."""
        path, after = self.evaluator.path, list(self.evaluator.after)
        here = {condition.id for condition in path.conditions}
        for conditions, seen, value, failures in self.found:
            if conditions <= here and all(map(operator.is_, seen, after)):
                failures.note()
                return value
        first = len(path.failures)
        # What is evaluated once for several paths would be noted for the first alone.
        visits, self.evaluator.visits = self.evaluator.visits, None
        try:
            value = self.make()
        finally:
            self.evaluator.visits = visits
        self.found.append((here, after, value, NotedFailures(path, first)))
        return value


class TermEvaluation(SymbolicOperators):
    """The evaluation of terms on the states of a step.

    `now` and `after` are the values of the variables; one without a next value has None there.
    `made` has a function for each kind of term.
    """

    def __init__(
        self, builder: Builder, path: EvaluationPath, now: Sequence[StateValue | None]
    ) -> None:
        super().__init__(path)
        self.builder = builder
        self.now: Sequence[StateValue | None] = tuple(now)
        self.after: list[StateValue | None] = [None] * len(now)
        self.slots: tuple[StateValue, ...] = ()
        """The values of names that are bound outside of a formula."""
        self.depth = 0
        self.visits: Visits | None = None
        """The record of a property's coverage points, if there is one."""
        self.recursions: RecursionDepths | None = None
        """The recursions that are limited, if they are."""
        self.enabled: Callable[[TlaTerm, TlaScope], Node] | None = None
        self.made: dict[type[TlaTerm], Callable[[Any, TlaScope, bool], StateValue]] = {}

    def value(self, term: TlaTerm, scope: TlaScope, primed: bool = False) -> StateValue:
        """The value of a term. Raises NotCompiled."""
        if HALT:
            poll()
        made = self.made.get(type(term))
        if made is None:
            if isinstance(term, syntax.FairnessTerm):
                raise TemporalFormula("a temporal formula has no value in a state", term.span)
            raise NotCompiled("this is not compiled", term.span)
        before, self.path.span = self.path.span, term.span
        try:
            return made(term, scope, primed)
        except NotCompiled as wrong:
            if wrong.span is not None:
                raise
            raise NotCompiled(wrong.message, term.span) from None
        except SpecError as wrong:
            raise NotCompiled(wrong.message, wrong.span or term.span) from None
        finally:
            self.path.span = before

    def holds(self, term: TlaTerm, scope: TlaScope, primed: bool = False) -> Node:
        """The node of a term that is true or false."""
        return self.truth(self.value(term, scope, primed), term.span)

    def merged(self, arms: Sequence[tuple[Node, StateValue]]) -> StateValue:
        arms = [(condition, arm) for condition, arm in arms if condition is not self.graph.false]
        if len(arms) < 2 or not any(isinstance(arm, FunctionRule) for _, arm in arms):
            return super().merged(arms)

        def each(make: Callable[[StateValue], StateValue]) -> StateValue:
            made: list[tuple[Node, StateValue]] = []
            for condition, arm in arms:
                with self.path.assuming(condition):
                    made.append((condition, make(arm)))
            return self.merged(made)

        # A value of one that is not taken may fail.
        return FunctionRule(
            lambda argument: each(lambda arm: self.apply(arm, argument, None)),
            Kept(self, lambda: each(self.open)).value,
        )

    def deeper(self, make: Callable[[], StateValue]) -> StateValue:
        """The result of `make`, one definition deeper. Raises NotCompiled beyond MOST_NESTED."""
        if self.depth > MOST_NESTED:
            raise NotCompiled("a function calls itself too deeply")
        self.depth += 1
        try:
            return make()
        finally:
            self.depth -= 1
