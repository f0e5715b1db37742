"""The tables of a space as DataFrames: Spark decodes the columns that a query names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.space.arrow import arrow
from specmodel.space.expressions import fields, quoted
from specmodel.space.files import STATES, TRANSITIONS
from specmodel.space.manifest import Manifest
from specmodel.space.run import SavedSpace
from specmodel.space.tables import (
    ACTIONS,
    COLUMNS,
    bindings_table,
    empty,
    field_columns,
    names_of,
    refuse_unknown,
)


def dataframe(space: SavedSpace, spark: Any, name: str = STATES) -> Any:
    """A table as a DataFrame of a `SparkSession`. Raises UsageError for an unknown table."""
    refuse_unknown(space, name)
    if name == ACTIONS:
        return _actions(space, spark)
    manifest, read = space.manifest, _read(space, spark, name)
    if read is None:
        return spark.createDataFrame(empty(manifest, name))
    if name == STATES and not manifest.parents:
        read = read.selectExpr("*", "-1L as parent", "-1 as binding")
    columns = [_column(manifest, column) for column in COLUMNS[name]]
    if name == STATES:
        names = field_columns(manifest)
        columns += [
            f"{value} as {names[field]}" for field, value in fields(manifest.layout).items()
        ]
    return read.selectExpr(*columns)


def _read(space: SavedSpace, spark: Any, kind: str) -> Any:
    """The rows of the levels that count, with their level; None if there is no file."""
    whole = space.levels_with(kind)
    files = [path for level in whole for path in space.parts(kind, level)]
    if not files:
        return None
    found = space.near.files(spark, files)
    folders = list(dict.fromkeys(name.rpartition("/")[0] for name in found))
    return spark.read.option("basePath", f"{space.near.base(spark)}/{kind}").parquet(*folders)


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
        read = _read(space, spark, kind) if there else None
        if read is None:
            rows = rows.selectExpr("*", f"cast({0 if there else 'null'} as bigint) as {column}")
            continue
        counts = read.groupBy("binding").count().withColumnRenamed("count", column)
        rows = rows.join(counts, "binding", "left").fillna(0, [column])
    return rows.orderBy("binding")


def _named(names: Sequence[str], place: str) -> str:
    """An expression for a name by place, null for none."""
    if not names:
        return "cast(null as string)"
    held = ", ".join(quoted(name) for name in names)
    return f"if({place} < 0, null, element_at(array({held}), greatest({place}, 0) + 1))"
