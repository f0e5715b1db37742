"""Symbolic runs for coverage: the conditions under which each coverage point is reached.

Unlike an ordinary run, such a run does not assume that the guards it passed are true. Coverage
also counts the cases in which only one guard is false, so later guards are evaluated as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.ir import nodes as ir
from specmodel.ir.guards import conjuncts
from specmodel.ir.points import Key, Points
from specmodel.ir.symbolic.execute import Execution
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.references import Binding
from specmodel.ir.symbolic.run import SymbolicRun, is_part
from specmodel.ir.symbolic.terms import Terms
from specmodel.ir.symbolic.values import Value

Path = tuple[Node, ...]
"""Conditions that are all true, in the order of the run."""


@dataclass(frozen=True)
class ReachedPoint:
    """A point is reached if the first `guards` guards and the conditions of a path are true."""

    point: int
    guards: int
    path: Path


@dataclass(frozen=True)
class NeededGuard:
    """A guard: its point (-1 if it has none), its condition, and the path that reaches it."""

    point: int
    path: Path
    node: Node


@dataclass(frozen=True)
class PointConditions:
    """The points and guards of a run of one binding of an action, or of a property.

    `needs` are the guards in order, again in each round of a loop. A pair (number, condition) of
    `failures`: where the condition is true, the run fails after that number of guards, whether they
    hold or not. `after` are the leaves of the state after an action. `lacking` are guards that are
    false on a path, of a body with several ways through it.
    """

    reached_points: tuple[ReachedPoint, ...]
    needs: tuple[NeededGuard, ...]
    failures: tuple[tuple[int, Node], ...]
    after: tuple[Node, ...] = ()
    lacking: tuple[ReachedPoint, ...] = ()


def graphed_conditions(
    points: Points, graph: Graph, function: ir.Function, states: Sequence[Sequence[Node]]
) -> Iterator[PointConditions]:
    """The point conditions of the cases of a rule that a front end executes itself."""
    if function.graphed is not None and function.name in points.firsts:
        yield from function.graphed.cases(points.firsts[function.name], graph, states)


def action_conditions(
    points: Points, graph: Graph, name: str, leaves: Sequence[Node], args: Sequence[Any]
) -> PointConditions:
    """The point conditions of an action with constant arguments on the leaves of a state."""
    run = _NotingRun(points.model, graph, False, keys=points.keys.get(name, {}))
    after = _NotingExecution(run, _NotingTerms).action(points.model.actions[name], leaves, args)
    return run.conditions(after)


def property_conditions(
    points: Points, graph: Graph, name: str, states: Sequence[Sequence[Node]]
) -> PointConditions:
    """The point conditions of a property of one state, or of a transition property of two."""
    run = _NotingRun(points.model, graph, True, keys=points.keys.get(name, {}))
    _NotingExecution(run, _NotingTerms).property(points.model.properties[name][1], states)
    return run.conditions()


@dataclass
class _NotingRun(SymbolicRun):
    """A run that records the points and guards that it reaches."""

    keys: Mapping[Key, int] = field(default_factory=dict[Key, int])
    reached_points: dict[ReachedPoint, None] = field(default_factory=dict[ReachedPoint, None])
    needs: list[NeededGuard] = field(default_factory=list[NeededGuard])

    def here(self, condition: Node) -> Node:
        return self.graph.both(*self.path, condition)

    def on_path(self, condition: Node) -> bool:
        return is_part(condition, self.path)

    def possible(self, *conditions: Node) -> bool:
        return self.changes.possible((*self.path, *conditions))

    def reach(self, part: object, what: str = "") -> None:
        """Records that a part of the model is reached, if it is a point."""
        point = self.keys.get((id(part), what))
        if point is not None:
            self.reached_points[ReachedPoint(point, len(self.needs), tuple(self.path))] = None

    def need(self, part: object, what: str, condition: Node, span: Span | None) -> None:
        """Records a guard and adds it to the run."""
        point = self.keys.get((id(part), what), -1)
        self.needs.append(NeededGuard(point, tuple(self.path), condition))
        self.guard(condition, span)

    def conditions(self, after: tuple[Node, ...] = ()) -> PointConditions:
        """The recorded points, guards and failures."""
        failures = tuple((f.guards, f.node) for f in self.failures)
        return PointConditions(tuple(self.reached_points), tuple(self.needs), failures, after)


class _NotingTerms(Terms):
    """Records terms at their evaluation."""

    run: _NotingRun

    def value(self, term: ir.Term) -> Value:
        self.run.reach(term)
        return super().value(term)

    def binding(self, term: ir.Term) -> Binding:
        self.run.reach(term)
        return super().binding(term)

    def unwrapped(self, term: ir.Apply, value: Value) -> None:
        if term.op == "need" and not self.run.pure:
            self.run.reach(term, "need")
            self.run.need(term, "need", self.algebra.present(value), term.span)
        else:
            super().unwrapped(term, value)

    def each(self, generators: Sequence[ir.Generator], going: Sequence[Node] = ()) -> Any:
        if generators:
            self.run.reach(generators[0])
        return super().each(generators, going)


class _NotingExecution(Execution):
    """Records statements as they run."""

    run: _NotingRun

    def one(self, statement: ir.Statement) -> None:
        self.run.reach(statement)
        if not isinstance(statement, ir.Require) or self.run.pure:
            super().one(statement)
            return
        for condition in conjuncts(statement.condition):
            self.run.need(condition, "", self.terms.truth(condition), condition.span)

    def refined(self, statement: ir.Refine) -> Node:
        for call in (statement.before, statement.after):
            self.terms.value(call)
        return self.graph.true  # the abstract design's points are not points of this design

    def arm(self, statement: ir.If, holds: bool) -> None:
        if not holds and not statement.other:
            self.run.reach(statement, "else")
        super().arm(statement, holds)
