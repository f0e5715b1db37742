"""`specmodel compare`: designs side by side, and the counterexamples of each on the others."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from specmodel.cli.guard import HOLDS, INCOMPLETE, guarded
from specmodel.cli.options import (
    MOST,
    Constants,
    EachStates,
    EachTimeout,
    Engine,
    Invariants,
    Master,
    NoProgress,
    Output,
    SaveTable,
    Workers,
)


class Format(enum.StrEnum):
    """How a comparison is written."""

    text = "text"
    json = "json"
    markdown = "markdown"


@guarded
def compare(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="DESIGN...", help="Names, .yaml files or file.py:spec; two or more."
        ),
    ],
    *,
    bound: Constants,
    invariants: Invariants = None,
    engine: Engine = "native",
    workers: Workers = None,
    master: Master = None,
    max_states: EachStates = None,
    max_depth: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="Stop each search at this depth.")
    ] = None,
    timeout: EachTimeout = None,
    form: Annotated[Format, typer.Option("--format", help="text, json or markdown.")] = Format.text,
    output: Output = None,
    save_table: SaveTable = None,
    quiet: NoProgress = False,
) -> int:
    """Compare designs: verdicts, actions, and why one escapes the other's counterexample.

    Exit codes: 0 compared, whatever the verdicts; 2 wrong usage or a mistake in a spec; 3 a search
    was incomplete.
    """
    from specmodel import api
    from specmodel.cli import output as out
    from specmodel.cli import settings as parse
    from specmodel.cli.progress import ProgressLine
    from specmodel.views.comparison import comparison_lines
    from specmodel.views.comparison_json import comparison_json
    from specmodel.views.comparison_markdown import comparison_markdown

    out.refuse_unwritable(output)
    out.refuse_no_table(save_table)
    with ProgressLine(quiet) as line:
        found = api.compare(
            *targets,
            engine=engine,
            properties=invariants,
            workers=workers,
            master=master,
            max_states=max_states,
            max_depth=max_depth,
            timeout=parse.duration(timeout),
            progress=line.update if line.wanted else None,
            **bound.constants,
        )
    out.show(
        form,
        output,
        json=lambda: comparison_json(found),
        markdown=lambda: comparison_markdown(found),
        text=lambda: comparison_lines(found, out.width(), out.symbols(output)),
    )
    if save_table is not None:
        out.write_table(save_table, found.table())
    return HOLDS if found.complete else INCOMPLETE
