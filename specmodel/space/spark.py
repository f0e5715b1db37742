"""The tables of a space as views of Spark SQL: Spark decodes the columns that a query names."""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specmodel.errors import SpecmodelError
from specmodel.space.arrow import arrow
from specmodel.space.expressions import fields, quoted
from specmodel.space.files import STATES, TRANSITIONS
from specmodel.space.manifest import Manifest
from specmodel.space.run import Space
from specmodel.space.tables import (
    ACTIONS,
    COLUMNS,
    bindings_table,
    empty,
    field_columns,
    names_of,
    refuse_unknown,
)

if TYPE_CHECKING:
    from specmodel.space.walk_tables import Walks


@dataclass(frozen=True)
class QueryRows:
    """Columns and rows: numbers, texts, dicts and lists. `more`: the query has further rows."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool


class QueryError(SpecmodelError):
    """A query that Spark refuses, with the message of Spark."""


def dataframe(space: Space, spark: Any, name: str = STATES) -> Any:
    """A table as a DataFrame of a `SparkSession`. Raises UsageError for an unknown table."""
    refuse_unknown(space, name)
    if name == ACTIONS:
        return _actions(space, spark)
    manifest, read = space.manifest, _read(space, spark, name)
    if read is None:
        return spark.createDataFrame(empty(manifest, name))
    if name == STATES and not manifest.parents:
        read = read.selectExpr("*", "-1L as parent", "-1 as binding")
    plain_name = [_column(manifest, column) for column in COLUMNS[name]]
    if name == STATES:
        columns = field_columns(manifest)
        plain_name += [
            f"{value} as {columns[field]}" for field, value in fields(manifest.layout).items()
        ]
    return read.selectExpr(*plain_name)


def sql_session(context: Any) -> Any:
    """The `SparkSession` of a connection."""
    return importlib.import_module("pyspark.sql").SparkSession(context)


def query(held: Space | Walks, spark: Any, text: str, most: int | None = None) -> QueryRows:
    """The result of a query over the tables, at most `most` rows. Raises QueryError."""
    for name in held.tables:
        held.dataframe(spark, name).createOrReplaceTempView(name)
    errors: Any = importlib.import_module("pyspark.errors")
    # PySpark logs its errors, with stack traces, before it raises them.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    logging.getLogger("DataFrameQueryContextLogger").disabled = True
    try:
        found = spark.sql(text)
        given = (found if most is None else found.limit(most + 1)).toArrow()
    except errors.PySparkException as wrong:
        _refuse_unknown(held, wrong)
        raise QueryError(_said(wrong)) from None
    columns = [
        [_plain(value, column.type) for value in column.to_pylist()] for column in given.columns
    ]
    rows = [list(row) for row in zip(*columns, strict=True)]
    more = most is not None and len(rows) > most
    return QueryRows(list(given.column_names), rows[:most] if more else rows, more)


def _refuse_unknown(held: Space | Walks, wrong: Any) -> None:
    """Raises QueryError for an unknown view, and for transitions that are not saved."""
    parameters: dict[str, str] = wrong.getMessageParameters() or {}
    if "relationName" not in parameters:
        return
    name = parameters["relationName"].replace("`", "")
    if isinstance(held, Space) and name.lower() == TRANSITIONS:
        held.need_transitions()
    known = ", ".join(held.tables)
    raise QueryError(f'there is no view "{name}" of {held.folder}: there are {known}') from None


def _plain(value: Any, kind: Any) -> Any:
    """A value with dicts for structs and maps, in order."""
    types = arrow().types
    if value is None:
        return None
    if types.is_struct(kind):
        return {field.name: _plain(value[field.name], field.type) for field in kind}
    if types.is_map(kind):
        return {
            str(_plain(key, kind.key_type)): _plain(held, kind.item_type) for key, held in value
        }
    if types.is_list(kind) or types.is_large_list(kind):
        return [_plain(held, kind.value_type) for held in value]
    return value


def _said(wrong: Any) -> str:
    """Spark's message, without Java's additions; the place in the query is below it."""
    text = str(wrong).partition("JVM stacktrace")[0].strip()
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith((";", "'", "+-", ":")) or re.match(r"\s*at [\w$.]+\(", line):
            break  # here the plan begins, or a stack trace
        lines.append(line.rstrip())
    return "\n".join(lines).strip().rstrip(";") or type(wrong).__name__


# The tables


def _read(space: Space, spark: Any, kind: str) -> Any:
    """The rows of the levels that count, with their level; None if there is no file."""
    whole = space.levels_with(kind)
    files = [path for level in whole for path in space.files.parts(kind, level)]
    if not files:
        return None
    folders = list(dict.fromkeys(str(path.parent.resolve()) for path in files))
    base = str((space.folder / kind).resolve())
    return spark.read.option("basePath", base).parquet(*folders)


def _column(manifest: Manifest, column: str) -> str:
    """A column of a table as an expression over the stored columns: see COLUMNS."""
    plain_name, names = column.rstrip("?"), names_of(manifest)
    if plain_name == "depth":
        return "level + 1 as depth"
    if plain_name in names:
        place, texts = names[plain_name]
        return f"{_named(texts, place)} as {plain_name}"
    return f"nullif({plain_name}, -1) as {plain_name}" if plain_name != column else plain_name


def _actions(space: Space, spark: Any) -> Any:
    plain_name = spark.createDataFrame(arrow().table(bindings_table(space.manifest.bindings)))
    for column, kind, there in (
        ("fired", TRANSITIONS, space.manifest.transitions),
        ("found", STATES, space.manifest.parents),
    ):
        read = _read(space, spark, kind) if there else None
        if read is None:
            plain_name = plain_name.selectExpr(
                "*", f"cast({0 if there else 'null'} as bigint) as {column}"
            )
            continue
        counts = read.groupBy("binding").count().withColumnRenamed("count", column)
        plain_name = plain_name.join(counts, "binding", "left").fillna(0, [column])
    return plain_name.orderBy("binding")


def _named(names: Sequence[str], place: str) -> str:
    """An expression for a name by place, null for none."""
    if not names:
        return "cast(null as string)"
    held = ", ".join(quoted(name) for name in names)
    return f"if({place} < 0, null, element_at(array({held}), greatest({place}, 0) + 1))"
