"""Designs at many constants: the smallest failing points, the growth of state spaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import exp, log
from typing import Any

from specmodel.analysis.saved_outcomes import SavedOutcomes, searched
from specmodel.analysis.searches import SearchLimits, SearchOutcome, Task
from specmodel.analysis.tables import FOUND, Rows, constant_cells, constant_columns, rows_of
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError, suggestion
from specmodel.suite.targets import target_of

Setting = Mapping[str, Value]
"""The varied constants with their values at a point."""


@dataclass(frozen=True)
class SweepPoint:
    """A design at some constants. `setting` has the varied ones, `constants` all."""

    design: str
    setting: Setting
    constants: Mapping[str, Value]
    outcome: SearchOutcome


@dataclass(frozen=True)
class Growth:
    """The factor by which the states grow when a constant goes from one value to the next.

    Over all pairs of points that differ in this constant only and whose searches were complete: the
    geometric mean, the least, the greatest, and the number of pairs.
    """

    constant: str
    before: Value
    after: Value
    mean: float
    least: float
    most: float
    pairs: int


@dataclass(frozen=True)
class Sweep:
    """A grid of points, in the order of the designs, then of the varied values."""

    designs: tuple[Design, ...]
    varied: Mapping[str, tuple[Value, ...]]
    points: tuple[SweepPoint, ...]

    def table(self) -> Any:
        """A row for each point and property, as a `pyarrow.Table` (docs/reference/json-series.md).

        Raises UsageError where pyarrow is not installed.
        """
        return sweep_rows(self).table()

    def of(self, design: str) -> tuple[SweepPoint, ...]:
        """The points of a design."""
        return tuple(p for p in self.points if p.design == design)

    def properties(self, design: str) -> tuple[str, ...]:
        """The properties that were checked of a design."""
        return tuple(dict.fromkeys(j.name for p in self.of(design) for j in p.outcome.properties))

    def smallest(self, design: str, name: str) -> tuple[SweepPoint, ...]:
        """The points where a property fails and at no point with smaller constants.

        A point is smaller if no constant is larger, and its switches are the same.
        """
        failing = [p for p in self.of(design) if _verdict(p, name) == "violated"]
        return tuple(
            point
            for point in failing
            if not any(q is not point and _below(q.setting, point.setting) for q in failing)
        )

    def undecided(self, design: str, name: str) -> tuple[SweepPoint, ...]:
        """The points whose search ended too early to say whether a property holds."""
        return tuple(p for p in self.of(design) if _verdict(p, name) == "incomplete")

    def growth(self, design: str) -> tuple[Growth, ...]:
        """The growth of a design's states with each of the varied integers, step by step."""
        found: list[Growth] = []
        whole = [p for p in self.of(design) if p.outcome.complete]
        for name, values in self.varied.items():
            for before, after in pairwise(values):
                factors = list(_factors(whole, name, before, after))
                if factors and not isinstance(after, bool):
                    mean = exp(sum(map(log, factors)) / len(factors))
                    least, most, pairs = min(factors), max(factors), len(factors)
                    found.append(Growth(name, before, after, mean, least, most, pairs))
        return tuple(found)


def sweep_rows(found: Sweep) -> Rows:
    """A row for each point and property; the constants that any design has are columns."""
    constants = constant_columns(point.constants for point in found.points)
    return Rows(
        {"design": "string", **constants, **FOUND},
        [
            {"design": point.design, **constant_cells(point.constants, constants), **cells}
            for point in found.points
            for cells in rows_of(point.outcome)
        ],
    )


def sweep(
    designs: Sequence[Design],
    varied: Mapping[str, Sequence[Value]],
    *,
    properties: Sequence[str] | None = None,
    engine: str = "native",
    limits: SearchLimits = SearchLimits(),
    jobs: int = 1,
    master: str | None = None,
    kept: SavedOutcomes | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Checks designs at every combination of values of some constants, each to its end.

    Constants that are not varied have the values of the designs. Small points come first. Searches
    in `kept` are not repeated, and new outcomes are added to it at once. `jobs` searches run side
    by side (see `side_by_side`, also for `master`). `progress` gets the number of finished searches
    and of all. A point where the spec fails has an outcome that says so.

    Raises UsageError for a constant or property that a design does not have, a value outside a
    constant's limits, and the errors of a check.
    """
    values = {name: tuple(dict.fromkeys(given)) for name, given in varied.items()}
    points = [p for design in designs for p in _points(design, values, properties, engine, limits)]
    order = sorted(range(len(points)), key=lambda n: _rank(points[n][1], values))
    tasks = [points[n][2] for n in order]
    outcomes = dict(zip(order, searched(tasks, jobs, master, kept, progress), strict=True))
    found = [
        SweepPoint(design.name, setting, task.constants, outcomes[number])
        for number, (design, setting, task) in enumerate(points)
    ]
    return Sweep(tuple(designs), values, tuple(found))


def _points(
    design: Design,
    varied: Mapping[str, Sequence[Value]],
    properties: Sequence[str] | None,
    engine: str,
    limits: SearchLimits,
) -> Iterator[tuple[Design, Setting, Task]]:
    for name, values in varied.items():
        for value in values:
            _refuse(design, name, value)
    chosen = tuple(rule.name for rule in design.chosen(properties))
    target = target_of(design)
    for combination in product(*varied.values()):
        setting = dict(zip(varied, combination, strict=True))
        constants = {**design.values, **setting}
        task = Task(target, constants, properties=chosen, engine=engine, limits=limits)
        yield design, setting, task


def _refuse(design: Design, name: str, value: Value) -> None:
    """Raises UsageError for a value that a constant of the design cannot have."""
    constant = design.constants.get(name)
    if constant is None:
        known = suggestion(name, design.constants)
        raise UsageError(f'{design.name} has no constant "{name}"{known}')
    if isinstance(constant.default, bool) != isinstance(value, bool):
        kind = "true or false" if isinstance(constant.default, bool) else "an integer"
        raise UsageError(f"constant {name} of {design.name} is {kind}, not {value}")
    low, high = constant.low, constant.high
    if (low is not None and value < low) or (high is not None and value > high):
        limits = f"{'' if low is None else low}..{'' if high is None else high}"
        raise UsageError(f"constant {name} = {value} of {design.name} is outside {limits}")


def _rank(setting: Setting, varied: Mapping[str, Sequence[Value]]) -> int:
    """The rank of a point in its grid: smaller points first."""
    return sum(varied[name].index(value) for name, value in setting.items())


def _verdict(point: SweepPoint, name: str) -> str:
    return next((j.verdict for j in point.outcome.properties if j.name == name), "")


def _below(a: Setting, b: Setting) -> bool:
    return all(
        a[name] == value if isinstance(value, bool) else a[name] <= value
        for name, value in b.items()
    )


def _factors(
    points: Sequence[SweepPoint], name: str, before: Value, after: Value
) -> Iterator[float]:
    def others(point: SweepPoint) -> tuple[tuple[str, Value], ...]:
        return tuple(item for item in point.setting.items() if item[0] != name)

    small = {others(p): p.outcome.distinct for p in points if p.setting[name] == before}
    for point in points:
        if point.setting[name] == after and others(point) in small:
            yield point.outcome.distinct / small[others(point)]
