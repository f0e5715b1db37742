"""The tables of a space as DataFrames: Spark decodes the columns that a query names."""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from specmodel.errors import SpecmodelError
from specmodel.space.arrow import arrow
from specmodel.space.expressions import fields, quoted
from specmodel.space.files import NONE, STATES, TRANSITIONS
from specmodel.space.manifest import Manifest
from specmodel.space.run import SavedSpace
from specmodel.space.tables import (
    ACTIONS,
    COLUMNS,
    bindings_table,
    field_columns,
    names_of,
    refuse_unknown,
    stored_columns,
)

NO_PARENTS = [f"cast({NONE} as bigint) as parent", f"{NONE} as binding"]
"""The columns that the states of a run on Spark lack, as expressions."""

_TYPES = {"property": "int", "binding": "int", "level": "int"}
"""The types of stored columns, unless it is bigint."""


def dataframe(space: SavedSpace, spark: Any, name: str = STATES) -> Any:
    """A table as a DataFrame of a `SparkSession`. Raises UsageError for an unknown table."""
    refuse_unknown(space, name)
    if name == ACTIONS:
        return _actions(space, spark)
    manifest = space.manifest
    columns = [_column(manifest, column) for column in COLUMNS[name]]
    if name == STATES:
        names = field_columns(manifest)
        columns += [
            f"{value} as {names[field]}" for field, value in fields(manifest.layout).items()
        ]
    return stored(space, spark, name).selectExpr(*columns)


def stored(space: SavedSpace, spark: Any, kind: str, level: int | None = None) -> Any:
    """The stored columns of the rows of the levels that count, or of one, with the level."""
    files = space.files_of(kind, level)
    if not files:
        return spark.sql(no_rows(space.manifest, kind))
    found = space.near.files(spark, files)
    folders = dict.fromkeys(name.rpartition("/")[0] for name in found)
    base = f"{space.near.base(spark)}/{kind}"
    read = spark.read.option("basePath", base).parquet(*map(_no_pattern, folders))
    return read if kind != STATES or space.manifest.parents else read.selectExpr("*", *NO_PARENTS)


def _no_pattern(path: str) -> str:
    """A path for Hadoop, which takes it for a pattern of paths."""
    return re.sub(r"([*?{}\[\]])", r"\\\1", path)


def no_rows(manifest: Manifest, kind: str) -> str:
    """A query that has the stored columns, and the level, but no row."""
    names = [*stored_columns(manifest, kind), "level"]
    empty = [f"cast(null as {_TYPES.get(name, 'bigint')}) as {name}" for name in names]
    return f"select {', '.join(empty)} where false"


def _column(manifest: Manifest, column: str) -> str:
    """A column of a table as an expression over the stored columns: see COLUMNS."""
    name, names = column.rstrip("?"), names_of(manifest)
    if name == "depth":
        return "level + 1 as depth"
    if name in names:
        place, texts = names[name]
        return f"{_named(texts, place)} as {name}"
    return f"nullif({name}, -1) as {name}" if name != column else name


def _actions(space: SavedSpace, spark: Any) -> Any:
    rows = spark.createDataFrame(arrow().table(bindings_table(space.manifest.bindings)))
    for column, kind, there in (
        ("fired", TRANSITIONS, space.manifest.transitions),
        ("found", STATES, space.manifest.parents),
    ):
        if not there:
            rows = rows.selectExpr("*", f"cast(null as bigint) as {column}")
            continue
        counts = (
            stored(space, spark, kind).groupBy("binding").count().withColumnRenamed("count", column)
        )
        rows = rows.join(counts, "binding", "left").fillna(0, [column])
    return rows.orderBy("binding")


def _named(names: Sequence[str], place: str) -> str:
    """An expression for a name by place, null for none."""
    if not names:
        return "cast(null as string)"
    held = ", ".join(quoted(name) for name in names)
    return f"if({place} < 0, null, element_at(array({held}), greatest({place}, 0) + 1))"


@contextmanager
def spark_errors(what: Callable[[Any, str], SpecmodelError]) -> Generator[None]:
    """Turns errors of Spark into errors of ours, which `what` makes of them and their messages."""
    errors: Any = importlib.import_module("pyspark.errors")
    # PySpark logs its errors, with stack traces, before it raises them.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    logging.getLogger("DataFrameQueryContextLogger").disabled = True
    try:
        yield
    except errors.PySparkException as wrong:
        raise what(wrong, _said(wrong)) from None


def _said(wrong: Any) -> str:
    """Spark's message, without Java's additions; the place in the query is below it."""
    text = str(wrong).partition("JVM stacktrace")[0].strip()
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith((";", "'", "+-", ":")) or re.match(r"\s*at [\w$.]+\(", line):
            break  # here the plan begins, or a stack trace
        lines.append(line.rstrip())
    return "\n".join(lines).strip().rstrip(";") or type(wrong).__name__
