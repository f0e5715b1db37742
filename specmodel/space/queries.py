"""Queries over the tables of a space, or of walks, as views of Spark SQL."""

from __future__ import annotations

import importlib
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import SpecmodelError
from specmodel.space.arrow import arrow
from specmodel.space.files import TRANSITIONS
from specmodel.space.space import Space
from specmodel.space.spark import spark_errors
from specmodel.space.walk_tables import Walks


@dataclass(frozen=True)
class QueryRows:
    """Columns and rows: numbers, texts, dicts and lists. `more`: the query has further rows."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool


class QueryError(SpecmodelError):
    """A query that Spark refuses, with the message of Spark."""


def sql_session(context: Any) -> Any:
    """The `SparkSession` of a connection."""
    return importlib.import_module("pyspark.sql").SparkSession(context)


def query(held: Space | Walks, spark: Any, text: str, most: int | None = None) -> QueryRows:
    """The result of a query over the tables, at most `most` rows. Raises QueryError."""
    for name in held.tables:
        held.dataframe(spark, name).createOrReplaceTempView(name)

    def refused(wrong: Any, said: str) -> QueryError:
        _refuse_unknown(held, wrong)
        return QueryError(said)

    with spark_errors(refused):
        found = spark.sql(text)
        given = (found if most is None else found.limit(most + 1)).toArrow()
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
