"""Sweeps, ablations and comparisons as rows: a row for each search and property, typed columns.

All have the same columns for what a search has found, so that tables of several can be put
together. What is not known, or does not apply, is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from specmodel.analysis.rules import Condition
from specmodel.lang.constants import Value
from specmodel.results import Result
from specmodel.space.arrow import arrow, need_data

if TYPE_CHECKING:
    from specmodel.analysis.ablation import Ablation, AblationTable
    from specmodel.analysis.comparison import Comparison
    from specmodel.analysis.searches import Outcome
    from specmodel.analysis.sweep import Sweep

Kind = Literal["string", "int64", "float64", "bool_", "strings"]

Cell = str | int | float | bool | Sequence[str] | None

FOUND: Mapping[str, Kind] = {
    "property": "string",
    "kind": "string",
    "verdict": "string",
    "trace_length": "int64",
    "distinct": "int64",
    "generated": "int64",
    "depth": "int64",
    "complete": "bool_",
    "stopped": "string",
    "seconds": "float64",
    "failure": "string",
}
"""The columns of what a search has found, with their types in Arrow."""

CHANGE: Mapping[str, Kind] = {
    "change": "int64",
    "rule": "string",
    "function": "string",
    "text": "string",
    "by": "string",
    "actions": "strings",
    "file": "string",
    "line": "int64",
    "effect": "string",
}


@dataclass(frozen=True)
class Rows:
    """Columns with their types, and rows of as many cells."""

    columns: Mapping[str, Kind]
    rows: Sequence[Sequence[Cell]]

    def table(self) -> Any:
        """The same as a `pyarrow.Table`. Raises UsageError where pyarrow is not installed."""
        need_data()
        return arrow().table(
            {
                name: arrow().array([row[place] for row in self.rows], _type(kind))
                for place, (name, kind) in enumerate(self.columns.items())
            }
        )


def sweep_rows(found: Sweep) -> Rows:
    """A row for each point and property; the constants that any design has are columns."""
    constants = _constants(point.constants for point in found.points)
    return Rows(
        {"design": "string", **constants, **FOUND},
        [
            (point.design, *_values(point.constants, constants), *cells)
            for point in found.points
            for cells in _of_outcome(point.outcome)
        ],
    )


def ablation_rows(found: AblationTable) -> Rows:
    """A row for each change and property; change 0 is the design as it is."""
    values = found.design.values
    constants = _constants([values])
    searches = [(_INTACT, found.intact), *((_change(a), a.outcome) for a in found.ablations)]
    return Rows(
        {"design": "string", **constants, **CHANGE, **FOUND},
        [
            (found.design.name, *_values(values, constants), *change, *cells)
            for change, outcome in searches
            for cells in _of_outcome(outcome)
        ],
    )


def comparison_rows(found: Comparison) -> Rows:
    """A row for each design and property; the constants that any design has are columns."""
    constants = _constants(result.constants for result in found.results)
    return Rows(
        {"design": "string", **constants, **FOUND},
        [
            (result.design, *_values(result.constants, constants), *cells)
            for result in found.results
            for cells in _judged(result)
        ],
    )


def _of_outcome(outcome: Outcome) -> Iterator[Sequence[Cell]]:
    """Where the spec itself fails nothing else is known, and there is one row."""
    if outcome.failure:
        yield (*(None for _ in range(len(FOUND) - 1)), outcome.failure)
    else:
        yield from _judged(outcome)


def _judged(found: Outcome | Result) -> Iterator[Sequence[Cell]]:
    figures: tuple[Cell, ...] = (
        found.distinct,
        found.generated,
        found.depth,
        found.complete,
        found.stopped or None,
        found.seconds,
        None,
    )
    for judged in found.properties:
        yield (judged.name, judged.kind, judged.verdict, judged.trace_length, *figures)
    if not found.properties:
        yield (None, None, None, None, *figures)


_INTACT: Sequence[Cell] = (0, *(None for _ in range(len(CHANGE) - 1)))


def _change(found: Ablation) -> Sequence[Cell]:
    rule = found.rule
    if isinstance(rule, Condition):
        told: tuple[Cell, ...] = ("condition", rule.function, rule.text, None)
    else:
        told = ("replacement", None, None, rule.new)
    return (
        found.number,
        *told,
        tuple(rule.actions),
        rule.span.file,
        rule.span.line,
        found.effect,
    )


def _constants(each: Iterable[Mapping[str, Value]]) -> dict[str, Kind]:
    """The constants of some searches; one that is not a switch in all of them is a number."""
    kinds: dict[str, Kind] = {}
    for constants in each:
        for name, value in constants.items():
            kind: Kind = "bool_" if isinstance(value, bool) else "int64"
            kinds[name] = kind if kinds.get(name, kind) == kind else "int64"
    return kinds


def _values(constants: Mapping[str, Value], kinds: Mapping[str, Kind]) -> Iterator[Cell]:
    for name, kind in kinds.items():
        value = constants.get(name)
        made: Callable[[Value], Value] = bool if kind == "bool_" else int
        yield None if value is None else made(value)


def _type(kind: Kind) -> Any:
    if kind == "strings":
        return arrow().list_(arrow().string())
    return getattr(arrow(), kind)()
