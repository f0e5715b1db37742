"""Decides whether fairness and temporal properties of an abstract design hold under a refinement.

The refinement gives each state of the graph an abstract state. A behaviour of the graph stands for
a behaviour of the abstract design, whose fairness and temporal properties have to hold of it. As in
TLA+, an abstract action is enabled in a state if it is enabled in the abstract state, and a step
takes it if the action makes the step between the two abstract states, and changes the abstract
state. CPython computes the abstract states and their successors, so that all engines agree.

Source: Martin Abadi and Leslie Lamport, The existence of refinement mappings (Theoretical Computer
Science, 1991).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from specmodel.behaviour.failures import failure_after
from specmodel.behaviour.formulas import Constraint, Formula, formulas
from specmodel.behaviour.steps import Interpreter
from specmodel.liveness.graph import Bools, Poll, StateGraph
from specmodel.liveness.judge import Behaviour, judge, neglecting
from specmodel.liveness.shortest_paths import ShortestPaths
from specmodel.model.model import Rule, abstract_name
from specmodel.results import SpecFailure

T = TypeVar("T")


def judge_refinement(
    graph: StateGraph,
    rule: Rule,
    interpreter: Interpreter,
    state_at: Callable[[int], Any],
    poll: Poll,
) -> tuple[Behaviour | None, str]:
    """A behaviour that violates the fairness or a temporal property of the abstract design.

    None if all hold; of several, the first in the order of `formulas`. If all hold, also the claims
    that say nothing, as text: fairness of actions that are enabled in no state, and antecedents
    that no state has. `state_at` gives the state with a number of the graph. Raises SpecFailure,
    with a trace, where a function fails.
    """
    labels = _AbstractLabels(graph, rule, interpreter, state_at, poll)
    for formula in formulas(rule):
        if (behaviour := labels.violation(formula)) is not None:
            return behaviour, ""
    return None, "; ".join(f"{claim} in no state" for claim, met in labels.met.items() if not met)


class _AbstractLabels:
    """The abstract states of the states of a graph, numbered in the order in which they occur."""

    def __init__(
        self,
        graph: StateGraph,
        rule: Rule,
        interpreter: Interpreter,
        state_at: Callable[[int], Any],
        poll: Poll,
    ) -> None:
        self.graph = graph
        self.interpreter = interpreter
        self.state_at = state_at
        self.poll = poll
        self.abstract = interpreter.refined(rule)
        self.of = f" of {abstract_name(self.abstract.spec)}"
        self.met: dict[str, bool] = {}
        """Whether some state has what a claim depends on, by what this is."""
        self.states: list[Any] = []
        self.numbers = np.empty(graph.size, np.int32)
        """The number of the abstract state of each state."""
        self.first: list[int] = []
        """A state of the graph with each abstract state: the first."""
        self.known: dict[int, int] = {}
        for place in range(graph.size):
            poll()
            made = self._run(place, lambda at=place: interpreter.abstract(rule, state_at(at)), "")
            number = self.known.setdefault(self.abstract.domain.index(made), len(self.states))
            if number == len(self.states):
                self.states.append(made)
                self.first.append(place)
            self.numbers[place] = number
        sources = np.repeat(self.numbers, np.diff(graph.starts)).astype(np.int64)
        pairs = sources * len(self.states) + self.numbers[graph.targets]
        pairs, self.pair_of_edge = np.unique(pairs, return_inverse=True)
        self.pairs = [divmod(pair, len(self.states)) for pair in pairs.tolist()]
        """The abstract states before and after an edge, without repetition."""

    def violation(self, formula: Formula) -> Behaviour | None:
        """A behaviour that violates a formula of the abstract design; None if there is none."""
        if formula.fair is not None:
            moves = self._moves(formula.fair)
            enabled = np.array([bool(following) for following in moves], np.bool_)[self.numbers]
            taken = np.array([after in moves[before] for before, after in self.pairs], np.bool_)
            edges = taken[self.pair_of_edge]
            self._note(f"{formula.fair.action}{self.of} is enabled", enabled)
            return neglecting(self.graph, formula, enabled, edges, self.poll)
        wanted = [part for part in (formula.goal, formula.cause) if part is not None]
        truth = {p: self._truth(p.rule, p.arguments) for p in wanted}
        if formula.cause is not None:
            self._note(f"{formula.cause.rule.name}{self.of} is true", truth[formula.cause])
        return judge(replace(self.graph, truth=truth), [formula], self.poll)

    def _note(self, claim: str, where: Bools) -> None:
        """Notes the states on which a claim depends: with some values of its parameters."""
        self.met[claim] = self.met.get(claim, False) or bool(where.any())

    def _truth(self, rule: Rule, arguments: tuple[Any, ...]) -> Bools:
        """Whether a predicate holds in the abstract state of each state."""
        held: list[bool] = []
        for place, state in zip(self.first, self.states, strict=True):
            self.poll()
            work = partial(self.abstract.holds, rule, state, *arguments)
            held.append(self._run(place, work, self.of))
        return np.array(held, np.bool_)[self.numbers]

    def _moves(self, fair: Constraint) -> list[set[int]]:
        """For each abstract state, the other ones to which the actions of a constraint lead.

        An abstract state that no state stands for is -1.
        """
        index = self.abstract.domain.index
        found: list[set[int]] = []
        for number, (place, state) in enumerate(zip(self.first, self.states, strict=True)):
            self.poll()
            following: set[int] = set()
            for binding in sorted(fair.bindings):
                work = partial(self.abstract.successor, state, binding)
                after = self._run(place, work, self.of)
                if after is not None:
                    following.add(self.known.get(index(after), -1))
            found.append(following - {number})
        return found

    def _run(self, place: int, work: Callable[[], T], of: str) -> T:
        """A function's result; a failure gets the trace to a state, and the function's design."""
        try:
            return work()
        except SpecFailure as failure:
            everywhere = np.ones(self.graph.size, np.bool_)
            ways = ShortestPaths.from_seeds(self.graph, everywhere, everywhere, self.poll)
            path = [self.state_at(number) for number in ways.to(place)]
            told = failure_after(self.interpreter.behaviour(path), failure)
            told.where += of
            raise told from failure
