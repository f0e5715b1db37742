"""`specmodel query`: SQL over the states and steps of a saved space, or over saved walks."""

from __future__ import annotations

from typing import Annotated, Any

from specmodel.cli.groups import argument, option
from specmodel.cli.guard import HOLDS, guarded, remark
from specmodel.cli.options import NoVerify, Output, Run
from specmodel.options import MOST

MOST_ROWS = 1000
"""Rows of a table on the terminal, unless told otherwise."""


@guarded
def query(
    run: Run,
    text: str = argument(
        "SQL",
        "Over the views states, transitions, actions, violations; of walks: walks, "
        "coverage, actions, depths, novelty, violations.",
    ),
    *,
    limit: int | None = option(
        None, f"Rows at most. [default: {MOST_ROWS} in a table, else all]", min=1, max=MOST
    ),
    master: str | None = option(
        None, "The Spark that runs it. [default: this machine's]", metavar="URL"
    ),
    report: Annotated[Output, "table", "csv", "json"],
    no_verify: NoVerify = False,
) -> int:
    """Ask a saved space, or saved walks, in SQL; a field of the state is a column of `states`.

    Starts Spark, which takes some seconds. Exit codes: 0 done; 2 wrong usage, a wrong query, or
    a damaged space.
    """
    from specmodel import space

    opened = space.open(run, verify=not no_verify)
    from specmodel.space import queries
    from specmodel.views.rows import csv_lines, json_lines, table_lines

    if limit is None and report.form.value == "table":
        limit = MOST_ROWS
    found = queries.query(opened, _session(master), text, limit)
    report.show(
        table=lambda: table_lines(found.columns, found.rows),
        csv=lambda: csv_lines(found.columns, found.rows),
        json=lambda: json_lines(found.columns, found.rows),
    )
    if found.more:
        remark(f"there are more than {limit:,} rows: --limit, or LIMIT in the query, says how many")
    return HOLDS


def spark_of(master: str | None) -> Any:
    """The `SparkSession` of a cluster, None without one. Raises the errors of `session`."""
    return None if master is None else _session(master)


def _session(master: str | None) -> Any:
    """The `SparkSession` of a cluster, or of this machine."""
    from specmodel import api
    from specmodel.engines.spark.session import session
    from specmodel.space.queries import sql_session

    return sql_session(session(master, api.default_workers()).context)
