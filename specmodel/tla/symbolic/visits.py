"""The places of a module that an execution on an unknown state visits: its coverage points.

A place of an action is a conjunct without a next value, an arm, a set whose members `\\E` takes, or
what gives variables their next values. A place of a property is what an implication, an `\\/`, an
arm or a quantifier over a set of the state makes hang on a condition.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.point_conditions import PointConditions, ReachedPoint
from specmodel.results.coverage import Kind, Point
from specmodel.tla.nodes import BindingTerm
from specmodel.tla.scopes import OperatorSymbol
from specmodel.tla.splitting import definition_of
from specmodel.tla.symbolic.path import EvaluationPath
from specmodel.tla.symbolic.values import KnownValue, StateValue


@dataclass(frozen=True)
class VisitedPlace:
    """What identifies a place: see `Point`."""

    kind: Kind
    span: Span
    text: str
    operator: str = ""


@dataclass
class Visits:
    """The places of one rule, in the order of the first visits, and the visits of each case.

    A case of an action is a choice of the values of its parameters; a property has one case.
    `span` is the place of the rule, `definitions` are the operators on the way, by their places.
    """

    path: EvaluationPath
    span: Span
    definitions: dict[Span, str]
    places: dict[VisitedPlace, int] = field(default_factory=dict[VisitedPlace, int])
    parents: list[int] = field(default_factory=list[int])
    lines: list[set[int]] = field(default_factory=list[set[int]])
    cases: dict[Any, _VisitsOfCase] = field(default_factory=dict[Any, "_VisitsOfCase"])
    case: Any = None
    trail: list[int] = field(default_factory=list[int])
    passed: set[VisitedPlace] = field(default_factory=set[VisitedPlace])

    @contextmanager
    def within(self, place: VisitedPlace, condition: Node | None = None) -> Generator[None]:
        """Notes a visit; while open, the visits noted hang on it. `condition` is a guard's."""
        self.trail.append(self._noted(place, condition))
        try:
            yield
        finally:
            self.trail.pop()

    def dead(self, place: VisitedPlace) -> None:
        """Notes a place that cannot be reached here."""
        with self.path.holding(self.path.graph.false):
            self._noted(place, None)

    def passes(self, place: VisitedPlace, condition: Node) -> bool:
        """Whether what follows a place is visited, where a condition of the place always is false:
        once, so that what is never reached is known too."""
        if place in self.passed or self.path.possible(condition):
            return False
        self.passed.add(place)
        return True

    def enter(self, symbol: OperatorSymbol) -> None:
        """Notes the place of a definition."""
        if symbol.body is not None:
            self.definitions[definition_of(symbol, symbol.body)] = symbol.name

    def assigned(self, span: Span) -> None:
        """Notes that a variable gets its next value, behind the last place on the way."""
        known = list(self.places)
        behind = known[self.trail[-1]] if self.trail else None
        number = self._noted(
            VisitedPlace("start", self.span, "")
            if behind is None
            else VisitedPlace("after", behind.span, behind.text),
            None,
        )
        self.lines[number].update(range(span.line, span.end_line + 1))

    def _noted(self, place: VisitedPlace, condition: Node | None) -> int:
        number = self.places.get(place)
        if number is None:
            number = self.places[place] = len(self.places)
            self.parents.append(self.trail[-1] if self.trail else -1)
            self.lines.append(set())
            if place.kind == "guard":
                self.lines[number].update(range(place.span.line, place.span.end_line + 1))
        held = self.cases.setdefault(self.case, _VisitsOfCase())
        path = tuple(self.path.conditions)
        held.reached[ReachedPoint(number, 0, path)] = None
        if condition is not None:
            lacks = self.path.graph.negate(condition)
            held.lacking[ReachedPoint(number, 0, (*path, lacks))] = None
        return number

    def points(self, first: int, rule: str, role: str) -> Iterator[Point]:
        """The points, whose numbers begin with `first`."""
        for place, number in self.places.items():
            parent = self.parents[number]
            around = self._definition(place.span)
            yield Point(
                first + number, rule, role, place.kind, place.span,
                tuple(sorted(self.lines[number])), place.text, self.definitions.get(around, rule),
                parent + first if parent >= 0 else -1, place.operator,
                final=place.kind == "guard", definition=around,
            )  # fmt: skip

    def _definition(self, span: Span) -> Span:
        """The innermost definition around a place."""
        around = [held for held in self.definitions if _contains(held, span)]
        return max(around, key=_start, default=self.span)

    def conditions(self, numbers: Mapping[VisitedPlace, int]) -> Iterator[PointConditions]:
        """The conditions under which each case reaches the points, which have these numbers."""
        points = [numbers[place] for place in self.places]

        def numbered(visits: Mapping[ReachedPoint, None]) -> tuple[ReachedPoint, ...]:
            return tuple(ReachedPoint(points[visit.point], 0, visit.path) for visit in visits)

        for held in self.cases.values():
            yield PointConditions(numbered(held.reached), (), (), lacking=numbered(held.lacking))


@dataclass
class _VisitsOfCase:
    reached: dict[ReachedPoint, None] = field(default_factory=dict[ReachedPoint, None])
    lacking: dict[ReachedPoint, None] = field(default_factory=dict[ReachedPoint, None])


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _contains(around: Span, span: Span) -> bool:
    end = (around.end_line, around.end_column)
    return (
        around.file == span.file
        and _start(around) <= _start(span)
        and (span.end_line, span.end_column) <= end
    )


def set_place(kind: Kind, term: BindingTerm) -> VisitedPlace:
    """The place where a member of the sets of a quantifier is taken."""
    sets = ", ".join(
        ", ".join(bound.names) + " \\in " + bound.members.span.text()
        for bound in term.bounds
        if bound.members is not None
    )
    return VisitedPlace(kind, term.body.span, sets, "in")


def known_values(arguments: Sequence[tuple[str, StateValue]]) -> tuple[Any, ...]:
    """What tells the choices of an action's parameters apart: values, or possible members."""
    return tuple(v.value if isinstance(v, KnownValue) else id(v) for _, v in arguments)
