"""Sweeps, ablations and comparisons as rows: a row for each search and property, typed columns.

All have the same columns for the result of a search, so that several tables can be put together. A
value that is not known, or does not apply, is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from specmodel.analysis.rules import Condition
from specmodel.constants import Value
from specmodel.results import Result
from specmodel.results.plain import members
from specmodel.space.arrow import arrow, need_data

if TYPE_CHECKING:
    from specmodel.analysis.ablation import Ablation, AblationTable
    from specmodel.analysis.comparison import Comparison
    from specmodel.analysis.searches import SearchOutcome
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
"""The columns of the result of a search, with their types in Arrow."""

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


Row = Mapping[str, Cell]
"""A row: the known values, by the names of the columns."""


@dataclass(frozen=True)
class Rows:
    """Columns with their types, and rows."""

    columns: Mapping[str, Kind]
    rows: Sequence[Row]

    def cells(self) -> list[list[Cell]]:
        """The rows as lists with a cell for each column."""
        return [[row.get(name) for name in self.columns] for row in self.rows]

    def table(self) -> Any:
        """The same as a `pyarrow.Table`. Raises UsageError where pyarrow is not installed."""
        need_data()
        schema = arrow().schema([(name, _type(kind)) for name, kind in self.columns.items()])
        return arrow().Table.from_pylist(self.rows, schema)


def sweep_rows(found: Sweep) -> Rows:
    """A row for each point and property; the constants that any design has are columns."""
    constants = _constants(point.constants for point in found.points)
    return Rows(
        {"design": "string", **constants, **FOUND},
        [
            {"design": point.design, **_values(point.constants, constants), **cells}
            for point in found.points
            for cells in _searched(point.outcome)
        ],
    )


def ablation_rows(found: AblationTable) -> Rows:
    """A row for each change and property; change 0 is the design as it is."""
    constants = _constants([found.design.values])
    design = {"design": found.design.name, **_values(found.design.values, constants)}
    intact: tuple[Row, SearchOutcome] = ({"change": 0}, found.intact)
    return Rows(
        {"design": "string", **constants, **CHANGE, **FOUND},
        [
            {**design, **change, **cells}
            for change, outcome in (intact, *((_change(a), a.outcome) for a in found.ablations))
            for cells in _searched(outcome)
        ],
    )


def comparison_rows(found: Comparison) -> Rows:
    """A row for each design and property; the constants that any design has are columns."""
    constants = _constants(result.constants for result in found.results)
    return Rows(
        {"design": "string", **constants, **FOUND},
        [
            {"design": result.design, **_values(result.constants, constants), **cells}
            for result in found.results
            for cells in _searched(result)
        ],
    )


def _searched(found: SearchOutcome | Result) -> Iterator[Row]:
    """The rows of a search.

    If the spec itself fails, nothing else is known, and there is one row.
    """
    if not isinstance(found, Result) and found.failure:
        yield {"failure": found.failure}
        return
    figures = members(found, "distinct generated depth complete stopped?")
    judged = [members(p, "property=name kind verdict trace_length") for p in found.properties]
    for row in judged or [{}]:
        yield {**row, **figures, "seconds": found.seconds}


def _change(found: Ablation) -> Row:
    rule = found.rule
    row = members(found, "change=number effect actions=rule.actions")
    row |= members(rule, "file=span.file line=span.line")
    if isinstance(rule, Condition):
        return {**row, "rule": "condition", **members(rule, "function text")}
    return {**row, "rule": "replacement", "by": rule.new}


def _constants(each: Iterable[Mapping[str, Value]]) -> dict[str, Kind]:
    """The constants of some searches; one that is not a switch in all of them is a number."""
    kinds: dict[str, Kind] = {}
    for constants in each:
        for name, value in constants.items():
            kind: Kind = "bool_" if isinstance(value, bool) else "int64"
            kinds[name] = kind if kinds.get(name, kind) == kind else "int64"
    return kinds


def _values(constants: Mapping[str, Value], kinds: Mapping[str, Kind]) -> Row:
    return {n: bool(v) if kinds[n] == "bool_" else int(v) for n, v in constants.items()}


def _type(kind: Kind) -> Any:
    if kind == "strings":
        return arrow().list_(arrow().string())
    return getattr(arrow(), kind)()
