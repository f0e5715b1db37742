"""Counts coverage points during a search, case by case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.errors import SpecError
from specmodel.ir.point_counter import PointCounter
from specmodel.ir.points import Points
from specmodel.model.model import Model, Rule
from specmodel.results import PointCount
from specmodel.results.coverage import Cases, point_counts


class InterpretedCoverage:
    """Counts all points, if asked to; else those of state properties, until every antecedent was
    true.

    A spec that runs but cannot be lowered has no points to count.
    """

    def __init__(self, spec: Model, rules: Sequence[Rule], everything: bool) -> None:
        """Raises SpecError if all points are to be counted and the spec cannot be lowered."""
        self.spec = spec
        self.everything = everything
        self.rules = [rule for rule in rules if everything or rule.role != "transition"]
        self.bindings = [(r.name, b) for r in spec.rules for b in r.bindings()]
        self.expanded = self.seen = self.steps = 0
        self.counter: PointCounter | None = None
        try:
            model = spec.code
        except SpecError:
            if everything:
                raise
            return
        names = [rule.name for rule in self.rules]
        self.counter = PointCounter(Points(model, model.actions if everything else (), names))
        self.open = [p.number for p in self.counter.points.found if p.antecedent]

    def expands(self, state: Any) -> None:
        """Counts the points of the actions in a state."""
        self.expanded += 1
        if self.counter is not None and self.everything:
            for name, arguments in self.bindings:
                self.counter.action(name, state, arguments)

    def sees(self, state: Any) -> None:
        """Counts the points of the state properties in a state."""
        self.seen += 1
        self._properties(state)

    def steps_to(self, before: Any, after: Any) -> None:
        """Counts the points of the transition properties in a step."""
        self.steps += 1
        self._properties(before, after)

    def points(self) -> tuple[PointCount, ...]:
        """The points, with their counts."""
        if self.counter is None:
            return ()
        cases = Cases(self.expanded, self.seen, self.steps, self.spec.binding_counts)
        return point_counts(self.counter.points.found, self.counter.counts, cases)

    def _properties(self, *states: Any) -> None:
        if self.counter is None or not (self.everything or self.open):
            return
        for rule in self.rules:
            if rule.states == len(states):
                self.counter.property(rule.name, *states)
        reached = self.counter.counts.reached
        self.open = [point for point in self.open if not reached[point]]
