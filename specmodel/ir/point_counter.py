"""The reference for counts of coverage points: runs the IR on ordinary values, slowly.

A case is one run of an action or property. A point counts at most once in a case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from specmodel.errors import Disabled
from specmodel.ir import nodes as ir
from specmodel.ir.evaluate import Evaluator, Names
from specmodel.ir.guards import conjuncts
from specmodel.ir.points import Points


class PointCounter:
    """Counts points in `counts`, one case at a time."""

    def __init__(self, points: Points) -> None:
        self.points = points
        self.counts = points.counts()

    def action(self, name: str, state: Any, arguments: Sequence[Any]) -> None:
        """Counts an action with a binding in a state, which is not changed."""
        function = self.points.model.actions[name]
        copy = self.points.model.state.copy
        run = _CountedRun(self.points, name)
        blocked = run.over(function, (copy(state), *arguments))
        self._count(run)
        if blocked is None:
            return
        self.counts.false[blocked] += 1
        if blocked in self.counts.alone:
            without = _CountedRun(self.points, name, waived=blocked)
            if without.over(function, (copy(state), *arguments)) is None:
                self.counts.alone[blocked] += 1

    def property(self, name: str, *states: Any) -> None:
        """Counts a property in one state, or a transition property in two."""
        run = _CountedRun(self.points, name)
        run.over(self.points.model.properties[name][1], states)
        self._count(run)

    def _count(self, run: _CountedRun) -> None:
        for point in run.seen:
            self.counts.reached[point] += 1


class _CountedRun(Evaluator):
    """One case. `waived` is the number of a guard that is assumed to be true."""

    def __init__(self, points: Points, rule: str, waived: int = -1) -> None:
        super().__init__(points.model)
        self.keys = points.keys[rule]
        self.waived = waived
        self.seen: set[int] = set()
        self.blocked: int | None = None

    def over(self, function: ir.Function, args: Sequence[Any]) -> int | None:
        """Runs a function; the false guard that ended it, or None. A failure only ends the run."""
        try:
            self.run(function, args)
        except Disabled:
            return self.blocked
        except Exception:  # whatever Python raises for a term that has no value
            return None
        return None

    def statement(self, statement: ir.Statement, names: Names) -> None:
        self._reach(statement)
        if isinstance(statement, ir.Require):
            for condition in conjuncts(statement.condition):
                self._need(condition, "", bool(self.value(condition, names)))
            return
        if isinstance(statement, ir.If) and not statement.other:
            if self.value(statement.condition, names):
                self.block(statement.then, names)
            else:
                self._reach(statement, "else")
            return
        super().statement(statement, names)

    def value(self, term: ir.Term, names: Names) -> Any:
        self._reach(term)
        if isinstance(term, ir.Apply) and term.op == "need":
            value = self.value(term.args[0], names)
            self._reach(term, "need")
            self._need(term, "need", value is not None)
            return value
        return super().value(term, names)

    def each(self, generators: Sequence[ir.Generator], names: Names) -> Iterator[None]:
        if generators:
            self._reach(generators[0])
        yield from super().each(generators, names)

    def _need(self, part: object, what: str, holds: bool) -> None:
        point = self.keys[(id(part), what)]
        if not holds and point != self.waived:
            self.blocked = point
            raise Disabled

    def _reach(self, part: object, what: str = "") -> None:
        point = self.keys.get((id(part), what))
        if point is not None:
            self.seen.add(point)
