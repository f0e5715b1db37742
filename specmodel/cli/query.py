"""`specmodel query`: SQL over the states and steps of a saved space, or over saved walks."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from specmodel.cli.guard import HOLDS, guarded, remark
from specmodel.cli.options import MOST, NoVerify, Output, Run

MOST_ROWS = 1000
"""Rows of a table on the terminal, unless told otherwise."""


class Format(enum.StrEnum):
    """How rows are written."""

    table = "table"
    csv = "csv"
    json = "json"


@guarded
def query(
    run: Run,
    text: Annotated[
        str,
        typer.Argument(
            metavar="SQL",
            help="Over the views states, transitions, actions, violations; of walks: walks, "
            "coverage, actions, depths, novelty, violations.",
        ),
    ],
    form: Annotated[Format, typer.Option("--format", help="table, csv or json.")] = Format.table,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST, help=f"Rows at most. [default: {MOST_ROWS} in a table, else all]"
        ),
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The Spark that runs it. [default: this machine's]"),
    ] = None,
    output: Output = None,
    no_verify: NoVerify = False,
) -> int:
    """Ask a saved space, or saved walks, in SQL; a field of the state is a column of `states`.

    Starts Spark, which takes some seconds. Exit codes: 0 done; 2 wrong usage, a wrong query, or
    a damaged space.
    """
    from specmodel import api, space
    from specmodel.cli import output as out

    out.refuse_unwritable(output)
    opened = space.open(run, verify=not no_verify)
    from specmodel.engines.spark.session import session
    from specmodel.space import spark
    from specmodel.views.rows import csv_lines, json_lines, table_lines

    if limit is None and form is Format.table:
        limit = MOST_ROWS
    connected = session(master, api.default_workers())
    found = spark.query(opened, spark.sql_session(connected.context), text, limit)
    lines = {Format.table: table_lines, Format.csv: csv_lines, Format.json: json_lines}[form]
    out.emit(lines(found.columns, found.rows), output)
    if found.more:
        remark(f"there are more than {limit:,} rows: --limit, or LIMIT in the query, says how many")
    return HOLDS
