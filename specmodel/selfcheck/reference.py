"""CPython's results for a state: every binding of every action, every property and constraint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from specmodel.behaviour.formulas import Predicate
from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.ir.layout import Layout
from specmodel.model.model import Model, Rule
from specmodel.results import SpecFailure
from specmodel.selfcheck.packing import Packing, Words

Outcome = Words | SpecFailure | None
"""The outcome of a binding in a state: its successor, its failure, or None: not enabled."""

Truth = bool | SpecFailure
"""Whether a property holds, or its failure."""


@dataclass
class Facts:
    """The results for a state that are compared.

    `outcomes` are those of the bindings by number. `truths` are of the invariants and reachable
    properties, `stepped` of the transition properties (for each step in the order of bindings), by
    name. `inside` is whether the state is within the constraints, `kept` which successors are;
    `outside` is the truth of the invariants in those that are not. `predicates` are the parts of
    temporal properties.
    """

    words: Words
    state: Any
    outcomes: list[Outcome]
    truths: dict[str, Truth] = field(default_factory=dict[str, Truth])
    stepped: dict[str, list[tuple[int, Truth]]] = field(
        default_factory=dict[str, list[tuple[int, Truth]]]
    )
    inside: Truth = True
    kept: list[Truth] = field(default_factory=list[Truth])
    outside: dict[str, list[Truth]] = field(default_factory=dict[str, list[Truth]])
    predicates: list[Truth] = field(default_factory=list[Truth])

    @property
    def steps(self) -> list[tuple[int, Words]]:
        """The enabled bindings and their successors."""
        return [(n, found) for n, found in enumerate(self.outcomes) if isinstance(found, tuple)]

    @property
    def failing(self) -> list[int]:
        """The bindings that fail."""
        return [n for n, found in enumerate(self.outcomes) if isinstance(found, SpecFailure)]


@dataclass(frozen=True)
class CheckDifference:
    """Two different results for a state: words of a state, true, false, text, a failure."""

    what: str
    span: Span | None
    cpython: Any
    compiled: Any


def step_difference(
    interpreter: Interpreter, number: int, cpython: Any, compiled: Any
) -> CheckDifference:
    """Two different results for a binding, by its number."""
    rule, _ = interpreter.bindings[number]
    return CheckDifference(str(interpreter.step(number)), rule.span, cpython, compiled)


class Reference:
    """CPython's results. `rules` are properties of states and steps; `predicates` of behaviours."""

    def __init__(
        self, spec: Model, rules: Sequence[Rule], predicates: Sequence[Predicate] = ()
    ) -> None:
        self.spec = spec
        self.interpreter = Interpreter.of(spec)
        self.layout = Layout(spec.domain)
        self.packing = Packing(self.layout)
        self.of_states = [rule for rule in rules if rule.role in ("invariant", "reachable")]
        self.invariants = [rule for rule in rules if rule.role == "invariant"]
        self.of_steps = [rule for rule in rules if rule.role == "transition"]
        self.predicates = tuple(predicates)

    def facts(self, words: Words) -> Facts:
        """All results of CPython for a state."""
        state = self.packing.unpack(words)
        interpreter, after = self.interpreter, list[tuple[int, Any]]()
        outcomes: list[Outcome] = [None] * len(interpreter.bindings)
        for number, found in interpreter.outcomes(state):
            if isinstance(found, SpecFailure):
                outcomes[number] = found
            else:
                outcomes[number] = self.packing.pack(found)
                after.append((number, found))
        facts = Facts(words, state, outcomes)
        for rule in self.of_states:
            facts.truths[rule.name] = self._truth(rule, state)
        for rule in self.of_steps:
            facts.stepped[rule.name] = [(n, self._truth(rule, state, s)) for n, s in after]
        for part in self.predicates:
            facts.predicates.append(self._truth(part.rule, state, *part.arguments))
        if self.spec.bounds:
            facts.inside = self._inside(state)
            if facts.inside is False:
                for rule in self.invariants:
                    facts.outside[rule.name] = [facts.truths[rule.name]]
            for _, successor in after:
                self._look_inside(facts, successor)
        return facts

    def _look_inside(self, facts: Facts, successor: Any) -> None:
        """Whether a successor is within the constraints; if not, the truth of its invariants."""
        inside = self._inside(successor)
        facts.kept.append(inside)
        if inside is False:
            for rule in self.invariants:
                facts.outside.setdefault(rule.name, []).append(self._truth(rule, successor))

    def _inside(self, state: Any) -> Truth:
        try:
            return self.interpreter.inside(state)
        except SpecFailure as failure:
            return failure

    def _truth(self, rule: Rule, *arguments: Any) -> Truth:
        """The value of a rule, or the failure of the spec in it."""
        try:
            return self.interpreter.holds(rule, *arguments)
        except SpecFailure as failure:
            return failure
