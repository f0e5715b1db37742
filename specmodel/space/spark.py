"""The tables of a space as views of Spark SQL: decoded where they are, by the columns asked for."""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specmodel.errors import SpecmodelError, UsageError, suggestion
from specmodel.space.arrow import arrow
from specmodel.space.expressions import fields, quoted
from specmodel.space.files import STATES, TRANSITIONS, VIOLATIONS
from specmodel.space.manifest import Binding, Manifest
from specmodel.space.run import Space
from specmodel.space.tables import TABLES, field_columns

if TYPE_CHECKING:
    from specmodel.space.walks.saved import Walks


@dataclass(frozen=True)
class Answer:
    """Columns and rows: numbers, texts, dicts and lists. `more`: there are more than were asked."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool


class QueryError(SpecmodelError):
    """A query that Spark does not take, with what it says of it."""


def dataframe(space: Space, spark: Any, name: str = "states") -> Any:
    """A table as a DataFrame of a `SparkSession`. Raises UsageError for one that is not there."""
    if name not in TABLES:
        raise UsageError(f'no table is called "{name}"{suggestion(name, TABLES)}')
    if name == "transitions":
        space.need_transitions()
    make = {
        "states": _states,
        "transitions": _transitions,
        "actions": _actions,
        "violations": _violations,
    }
    return make[name](space, spark)


def sql_session(context: Any) -> Any:
    """The `SparkSession` of a connection."""
    return importlib.import_module("pyspark.sql").SparkSession(context)


def query(held: Space | Walks, spark: Any, text: str, most: int | None = None) -> Answer:
    """What a query over the tables gives, no more than `most` rows. Raises QueryError."""
    for name in held.tables:
        held.dataframe(spark, name).createOrReplaceTempView(name)
    errors: Any = importlib.import_module("pyspark.errors")
    # PySpark logs what it raises, stack and all, before it does.
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
    return Answer(list(given.column_names), rows[:most] if more else rows, more)


def _refuse_unknown(held: Space | Walks, wrong: Any) -> None:
    """Raises QueryError for a view that is not there, and what a space says of its transitions."""
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
    """What Spark says is wrong, without what Java adds; the place in the query below it."""
    text = str(wrong).partition("JVM stacktrace")[0].strip()
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith((";", "'", "+-", ":")) or re.match(r"\s*at [\w$.]+\(", line):
            break  # the plan, or a trace
        lines.append(line.rstrip())
    return "\n".join(lines).strip().rstrip(";") or type(wrong).__name__


# The tables


def _read(space: Space, spark: Any, kind: str) -> Any:
    """The rows of the levels that count, with their level; None if there is no file at all."""
    whole = space.levels_with(kind)
    files = [path for level in whole for path in space.files.parts(kind, level)]
    if not files:
        return None
    folders = list(dict.fromkeys(str(path.parent.resolve()) for path in files))
    base = str((space.folder / kind).resolve())
    return spark.read.option("basePath", base).parquet(*folders)


def _states(space: Space, spark: Any) -> Any:
    manifest, columns = space.manifest, field_columns(space.manifest)
    parent, binding = ("parent", "binding") if manifest.parents else ("-1L", "-1")
    told = [
        "id",
        "level + 1 as depth",
        f"nullif({parent}, -1) as parent",
        f"{_action(manifest, binding)} as action",
        f"nullif({binding}, -1) as binding",
    ]
    told += [f"{value} as {columns[name]}" for name, value in fields(manifest.layout).items()]
    return _read(space, spark, STATES).selectExpr(*told)


def _transitions(space: Space, spark: Any) -> Any:
    read = _read(space, spark, TRANSITIONS)
    if read is None:
        return _none(spark, "source bigint, target bigint, depth int, action string, binding int")
    return read.selectExpr(
        "source",
        "nullif(target, -1) as target",
        "level + 1 as depth",
        f"{_action(space.manifest, 'binding')} as action",
        "binding",
    )


def _violations(space: Space, spark: Any) -> Any:
    read = _read(space, spark, VIOLATIONS)
    if read is None:
        return _none(spark, "property string, state bigint, depth int, action string, binding int")
    names = [found.name for found in space.manifest.properties]
    return read.selectExpr(
        f"{_named(names, 'property')} as property",
        "state",
        "level + 1 as depth",
        f"{_action(space.manifest, 'binding')} as action",
        "nullif(binding, -1) as binding",
    )


def _actions(space: Space, spark: Any) -> Any:
    manifest = space.manifest
    rows = [
        f"({number}, {quoted(held.action)}, {_arguments(held)})"
        for number, held in enumerate(manifest.bindings)
    ]
    told = (
        spark.sql(f"select * from values {', '.join(rows)} as t (binding, action, arguments)")
        if rows
        else _none(spark, "binding int, action string, arguments map<string, string>")
    )
    for column, kind, there in (
        ("fired", TRANSITIONS, manifest.transitions),
        ("found", STATES, manifest.parents),
    ):
        if not there:
            told = told.selectExpr("*", f"cast(null as bigint) as {column}")
            continue
        read = _read(space, spark, kind)
        counts = (
            _none(spark, f"binding int, {column} bigint")
            if read is None
            else read.groupBy("binding").count().withColumnRenamed("count", column)
        )
        told = told.join(counts, "binding", "left").fillna(0, [column])
    return told.orderBy("binding")


def _arguments(held: Binding) -> str:
    told = [f"{quoted(name)}, {quoted(str(value))}" for name, value in held.arguments.items()]
    return f"cast(map({', '.join(told)}) as map<string, string>)"


def _none(spark: Any, schema: str) -> Any:
    return spark.createDataFrame([], schema)


def _action(manifest: Manifest, binding: str) -> str:
    return _named([held.action for held in manifest.bindings], binding)


def _named(names: Sequence[str], place: str) -> str:
    """An expression for a name by place, null for none."""
    if not names:
        return "cast(null as string)"
    held = ", ".join(quoted(name) for name in names)
    return f"if({place} < 0, null, element_at(array({held}), greatest({place}, 0) + 1))"
