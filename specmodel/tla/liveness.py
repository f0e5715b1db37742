"""Decides temporal claims on the graph of all states, as TLC does.

A behaviour may stay in a state for ever if no demand is enabled there. Where a state is outside of
the constraints, behaviours do not go there, but an action may be enabled that leads there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from specmodel.behaviour.formulas import Constraint, Formula
from specmodel.errors import Span
from specmodel.liveness.components import components
from specmodel.liveness.graph import WORD, Bools, Poll, StateGraph, bit_columns, kinds_of_edges
from specmodel.liveness.judge import Behaviour, judge, neglecting
from specmodel.liveness.linear_time import (
    AllOf,
    Automaton,
    LinearFormula,
    negated,
    predicates,
    satisfied,
)
from specmodel.liveness.product import TruthTable, satisfying
from specmodel.results.lasso import Fulfilled, How
from specmodel.tla.calling import no_truth
from specmodel.tla.claims import TemporalAtom, TemporalClaim, TlaDemand
from specmodel.tla.model import TlaRule
from specmodel.tla.scopes import Run
from specmodel.tla.values import FALSE, TRUE
from specmodel.tla.written import argument

States = Sequence[Any]


class TlaGraph:
    """The states that a search found, in its order, and the edges to others among them.

    `degrees` are the numbers of edges of the states, `targets` the states that they lead to, and
    `levels` the sizes of the levels. What demands and predicates say of states and steps is
    evaluated once. Raises EvaluationError.
    """

    def __init__(
        self, states: States, degrees: Any, targets: Any, levels: Sequence[int], poll: Poll
    ) -> None:
        self.states = states
        self.poll = poll
        self.starts = np.concatenate([[0], np.cumsum(degrees, dtype=np.int64)])
        self.sources = np.repeat(np.arange(len(states)), degrees)
        self.targets = np.asarray(targets, np.int32)
        self.levels = np.concatenate([[0], np.cumsum(levels, dtype=np.int64)])
        self._marks: dict[TlaDemand, tuple[Bools, Bools]] = {}
        self._places: dict[TemporalAtom, TruthTable] = {}

    @classmethod
    def of(
        cls,
        states: States,
        successors: Sequence[Sequence[int]],
        levels: Sequence[int],
        poll: Poll,
    ) -> TlaGraph:
        """The graph with the successors of each state, of which it may be one itself."""
        others = [
            [other for other in dict.fromkeys(found) if other != number]
            for number, found in enumerate(successors)
        ]
        targets = [target for found in others for target in found]
        return cls(states, [len(found) for found in others], targets, levels, poll)

    def truth(self, run: Run, span: Span) -> Bools:
        """Whether a predicate is true of each state."""
        return np.array([self._true(run, span, s, None) for s in self.states], np.bool_)

    def marks(self, demand: TlaDemand, span: Span) -> tuple[Bools, Bools]:
        """The states that a demand is enabled in, and the edges on cycles that take it."""
        if demand not in self._marks:
            enabled = np.ones(len(self.states), np.bool_)
            taken = np.zeros(len(self.targets), np.bool_)
            if demand.enabled is not None:
                enabled = self.truth(demand.enabled, span)
            if (run := demand.taken) is not None:
                edges = np.flatnonzero(enabled[self.sources] & self._recurring)
                if len(edges):
                    taken[edges] = self.steps(run, span, edges)
            self._marks[demand] = enabled, taken
        return self._marks[demand]

    @cached_property
    def _recurring(self) -> Bools:
        """The edges on cycles: of the others, a behaviour takes each once."""
        number = components(self.starts, self.targets, np.ones(len(self.states), np.bool_))
        return number[self.sources] == number[self.targets]

    def steps(self, run: Run, span: Span, edges: Any) -> Bools:
        """Whether a formula is true of some edges."""
        ends = zip(self.sources[edges].tolist(), self.targets[edges].tolist(), strict=True)
        held = [self._true(run, span, self.states[a], self.states[b]) for a, b in ends]
        return np.array(held, np.bool_)

    def _true(self, run: Run, span: Span, state: Any, after: Any) -> bool:
        self.poll()
        value = run((), state, after)
        if value is not TRUE and value is not FALSE:
            raise no_truth(value, span)
        return value is TRUE

    def graph(self, demands: Sequence[TlaDemand], span: Span) -> StateGraph:
        """The graph with some demands as its fairness."""
        marks = [self.marks(demand, span) for demand in demands]
        enabled = np.zeros((len(self.states), bit_columns(len(demands))), np.uint64)
        for number, (held, _) in enumerate(marks):
            enabled[:, number // WORD] |= held.astype(np.uint64) << np.uint64(number % WORD)
        kinds, takes = kinds_of_edges([taken for _, taken in marks], len(self.targets))
        fairness = tuple(Constraint(d.strength, d.action, frozenset()) for d in demands)
        return StateGraph(
            self.levels,
            self.starts,
            self.targets,
            kinds,
            takes,
            enabled,
            fairness,
            {},
        )

    def violating(
        self,
        claim: TemporalClaim,
        fairness: Sequence[TlaDemand],
        assumed: Sequence[LinearFormula] = (),
    ) -> Behaviour | None:
        """A behaviour that satisfies fairness and what is assumed, and violates a claim.

        None if there is none. Raises TooManyWays.
        """
        graph = self.graph([*fairness, *claim.given], claim.span)
        if claim.formula is not None or assumed:
            sought = AllOf((*assumed, negated(claim.whole())))
            return self._satisfying(graph, sought, claim)
        if claim.demand is not None:
            demand = claim.demand
            constraint = Constraint(demand.strength, demand.action, frozenset())
            wanted = Formula(TlaRule(demand.action, "demand"), (), fair=constraint)
            return neglecting(graph, wanted, *self.marks(demand, claim.span), self.poll)
        formula = Formula(rule_of(claim, claim.text), ())
        truth = {formula.goal: self._truth(claim.goal, claim.span)}
        if formula.cause is not None:
            truth[formula.cause] = self._truth(claim.cause, claim.span)
        return judge(replace(graph, truth=truth), [formula], self.poll)

    def _satisfying(
        self, graph: StateGraph, sought: LinearFormula, claim: TemporalClaim
    ) -> Behaviour | None:
        """A fair behaviour that satisfies a formula, and so violates a claim."""
        automaton = Automaton(sought)
        truth = {each: self._where(each, claim.span) for each in predicates(sought)}
        formula = Formula(rule_of(claim, claim.text), ())
        found = satisfying(graph, automaton, truth, formula, self.poll)
        if found is not None:
            assert self.satisfies(sought, claim, found), claim.span
        return found

    def satisfies(self, formula: LinearFormula, claim: TemporalClaim, behaviour: Behaviour) -> bool:
        """Whether a behaviour satisfies a formula, of which a claim asks."""
        held = self.told(formula, claim, behaviour)
        return satisfied(formula, held, len(behaviour.states), behaviour.loop)[0]

    def told(
        self, formula: LinearFormula, claim: TemporalClaim, behaviour: Behaviour
    ) -> dict[Hashable, list[bool]]:
        """The predicates of a formula in each state of a behaviour, or of the step from there."""
        path = behaviour.states
        ends = list(zip(path, (*path[1:], path[behaviour.loop]), strict=True))
        found: dict[Hashable, list[bool]] = {}
        for each in predicates(formula):
            where = self._where(each, claim.span)
            found[each] = [
                bool(
                    where.states[before]
                    if where.edges is None or before == after
                    else where.edges[self._edge(before, after)]
                )
                for before, after in ends
            ]
        return found

    def truths(self, claim: TemporalClaim, behaviour: Behaviour) -> dict[str, tuple[int, ...]]:
        """Where in a behaviour the predicates of a claim of any form are true, by their text."""
        if claim.formula is None:
            return {}
        told = self.told(claim.formula, claim, behaviour)
        return {
            each.text: tuple(place for place, true in enumerate(held) if true)
            for each, held in told.items()
            if isinstance(each, TemporalAtom)
        }

    def _edge(self, before: int, after: int) -> int:
        """The edge between two states, of which there is one."""
        first, stop = self.starts[before], self.starts[before + 1]
        return int(first + np.flatnonzero(self.targets[first:stop] == after)[0])

    def _where(self, predicate: Hashable, span: Span) -> TruthTable:
        """Where a predicate is true."""
        assert isinstance(predicate, TemporalAtom)
        if predicate not in self._places:
            if predicate.step:
                edges = self.steps(predicate.run, span, np.arange(len(self.targets)))
                still = np.full(len(self.states), predicate.box, np.bool_)
                self._places[predicate] = TruthTable(still, edges)
            else:
                self._places[predicate] = TruthTable(self.truth(predicate.run, span), None)
        return self._places[predicate]

    def _truth(self, run: Run | None, span: Span) -> Bools:
        assert run is not None
        return self.truth(run, span)

    def since(self, claim: TemporalClaim, behaviour: Behaviour) -> int:
        """The place in a behaviour from which on it violates a claim.

        Raises AssertionError if it does not.
        """
        path, loop = list(behaviour.states), behaviour.loop
        if claim.formula is not None:
            return 0
        if claim.demand is not None:
            met = self.met(claim.demand, claim.span, behaviour)
            assert met.how == "neglected" and met.state is not None, claim.span
            return met.state
        good = self._truth(claim.goal, claim.span)[path]
        if claim.role == "eventually_always":
            return loop + good[loop:].tolist().index(False)
        assert not good[loop:].any(), claim.span
        last = max(np.flatnonzero(good).tolist(), default=-1)
        if claim.role == "eventually":
            assert last < 0, claim.span
            return 0
        if claim.role == "leads_to":
            cause = self._truth(claim.cause, claim.span)[path]
            return last + 1 + cause[last + 1 :].tolist().index(True)
        return loop

    def met(self, demand: TlaDemand, span: Span, behaviour: Behaviour) -> Fulfilled:
        """How a behaviour satisfies a demand."""
        enabled, taken = self.marks(demand, span)
        cycle = behaviour.states[behaviour.loop :]
        has = enabled[list(cycle)].tolist()

        def told(how: How, place: int | None) -> Fulfilled:
            held = {name: argument(value) for name, value in demand.arguments.items()}
            state = None if place is None else behaviour.loop + place
            return Fulfilled(demand.strength, demand.action, held, how, state)

        for place, (before, after) in enumerate(zip(cycle, (*cycle[1:], cycle[0]), strict=True)):
            edges = range(self.starts[before], self.starts[before + 1])
            if any(self.targets[edge] == after and taken[edge] for edge in edges):
                return told("taken", place)
        if not any(has):
            return told("never enabled", None)
        if not demand.strong and not all(has):
            return told("not enabled", has.index(False))
        return told("neglected", has.index(True))


def rule_of(claim: TemporalClaim, name: str) -> TlaRule:
    """A claim as a rule of its role."""
    cause = TlaRule("the formula before ~>", "antecedent") if claim.cause is not None else None
    return TlaRule(name, claim.role, claim.span, antecedent=cause)
