"""Results of searches as rows: a row for each search and property, typed columns.

All tables have the same columns for the result of a search, so that several of them can be put
together. A value that is not known, or does not apply, is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from specmodel.dataclass import dataclass
from specmodel.results import Result
from specmodel.results.plain import members
from specmodel.space.arrow import arrow, need_data

if TYPE_CHECKING:
    from specmodel.analysis.searches import SearchOutcome

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


def rows_of(found: SearchOutcome | Result) -> Iterator[Row]:
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


def constant_columns(each: Iterable[Mapping[str, Any]]) -> dict[str, Kind]:
    """The columns of the constants of searches: of texts if one has a text, such as a set of a
    module, else of ints if one has an int, else of bools.
    """
    kinds: dict[str, Kind] = {}
    for constants in each:
        for name, value in constants.items():
            kind: Kind = "bool_" if isinstance(value, bool) else "int64"
            if isinstance(value, str):
                kind = "string"
            kinds[name] = max(kind, kinds.get(name, kind), key=[*_CONSTANT_KINDS].index)
    return kinds


_CONSTANT_KINDS: dict[Kind, Callable[[Any], Any]] = {"bool_": bool, "int64": int, "string": str}
"""The kinds of columns of constants, narrow ones first, and what makes a cell."""


def constant_cells(constants: Mapping[str, Any], kinds: Mapping[str, Kind]) -> Row:
    """The cells of a search's constants, for the columns of `kinds`."""
    return {name: _CONSTANT_KINDS[kinds[name]](value) for name, value in constants.items()}


def _type(kind: Kind) -> Any:
    if kind == "strings":
        return arrow().list_(arrow().string())
    return getattr(arrow(), kind)()
