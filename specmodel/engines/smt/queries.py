"""Questions about a depth: formulas, with the words for their meaning."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.behaviour.failures import (
    property_failure,
    step_failure,
    transition_failure,
)
from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.model.model import Rule
from specmodel.results import DEADLOCK, SpecFailure, Trace
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Formula


@dataclass(frozen=True)
class Query:
    """A question about the state at a depth, and perhaps about the step to it.

    The answer yes means, for a `rule`, that the rule is violated (for a reachable property: met)
    or, if the query is for a `failing` rule, that the spec fails in it. Without a rule, it means
    that there is no step from the state or, for a `failing` query, that the spec fails in a step
    from the state. `states` is the number of states of a path that a trace has to show.
    """

    formula: Formula
    depth: int
    states: int
    rule: Rule | None = None
    failing: bool = False

    @property
    def name(self) -> str:
        """The name under which a finding is reported."""
        return self.rule.name if self.rule else DEADLOCK

    def __str__(self) -> str:
        what = f"failure of {self.rule.name if self.rule else 'a step'}"
        return f"{what if self.failing else self.name} at depth {self.depth}"


class Queries:
    """Makes the queries about a spec.

    With `through`, only paths through a state of this property count.
    """

    def __init__(self, encoding: Encoding, through: Rule | None = None) -> None:
        self.encoding = encoding
        self.through = through
        self.logic = encoding.logic

    def failures(self, depth: int, rules: Sequence[Rule]) -> list[Query]:
        """Whether the spec fails in properties or a constraint in the state at a depth."""
        relation = self.encoding.relation
        passed = [] if self.through is None else [self.through]
        return [
            Query(self._where_seen(rule, at, self.encoding.fails(rule, at)), depth, at, rule, True)
            for rule in [*rules, *passed, *relation.spec.bounds]
            if relation.judged(rule).failures and (at := _place(rule, depth))
        ]

    def findings(self, depth: int, rules: Sequence[Rule]) -> list[Query]:
        """Whether properties are violated, or met, in the state at a depth."""
        return [
            Query(self._passed(self._found(rule, at), depth), depth, depth, rule)
            for rule in rules
            if (at := _place(rule, depth))
        ]

    def step_failures(self, depth: int) -> list[Query]:
        """Whether the spec fails in a step from the state at a depth."""
        return [self._beyond(self.encoding.step_fails(depth), depth, failing=True)]

    def deadlock(self, depth: int) -> list[Query]:
        """Whether there is no step from the state at a depth."""
        return [self._beyond(self.encoding.stuck(depth), depth, failing=False)]

    def _beyond(self, formula: Formula, depth: int, failing: bool) -> Query:
        # A state outside the constraints is not expanded.
        inside = self.encoding.inside(depth)
        return Query(self.logic.both([inside, formula]), depth, depth, failing=failing)

    def _passed(self, formula: Formula, depth: int) -> Formula:
        """A finding at a depth, if the path has passed through the required state."""
        if self.through is None:
            return formula
        before = [self.encoding.holds(self.through, at) for at in range(1, depth + 1)]
        return self.logic.both([formula, self.logic.either(before)])

    def _found(self, rule: Rule, at: int) -> Formula:
        holds = self.encoding.holds(rule, at)
        found = holds if rule.role == "reachable" else self.logic.negate(holds)
        return self._where_seen(rule, at, found)

    def _where_seen(self, rule: Rule, at: int, formula: Formula) -> Formula:
        """A formula about a state, if the rule is checked there: invariants are, outside too."""
        if rule.role == "reachable":
            return self.logic.both([self.encoding.inside(at), formula])
        return formula


def _place(rule: Rule, depth: int) -> int:
    """The depth of the first state of a rule whose last state is at a depth; 0: none is."""
    return depth - (rule.states - 1)


def failure_of(interpreter: Interpreter, query: Query, trace: Trace) -> SpecFailure:
    """The failure at the end of the trace of a query for a failure."""
    if query.rule is None:
        return step_failure(interpreter, trace)
    if query.rule.role == "transition":
        return transition_failure(interpreter, trace, query.rule)
    return property_failure(interpreter, trace, [query.rule])
