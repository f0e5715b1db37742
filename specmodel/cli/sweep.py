"""`specmodel sweep`: designs at many constants."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from specmodel.cli.guard import HOLDS, INCOMPLETE, WRONG, guarded, remark
from specmodel.cli.options import (
    Bound,
    EachLimits,
    Engine,
    Invariants,
    Jobs,
    Master,
    NoProgress,
    Output,
    SaveTable,
)


class Format(enum.StrEnum):
    """How a sweep is written."""

    text = "text"
    json = "json"
    csv = "csv"


@guarded
def sweep(
    targets: Annotated[
        list[str],
        typer.Argument(metavar="DESIGN...", help="Names, .yaml files or file.py:spec."),
    ],
    *,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES", help="A constant with its values: 1..3, or 1,2,5. Repeatable."
        ),
    ] = None,
    bound: Bound,
    invariants: Invariants = None,
    engine: Engine = "native",
    jobs: Jobs = None,
    master: Master = None,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep what is found here, and go on from what is."),
    ] = None,
    limits: EachLimits,
    form: Annotated[Format, typer.Option("--format", help="text, json or csv.")] = Format.text,
    output: Output = None,
    save_table: SaveTable = None,
    quiet: NoProgress = False,
) -> int:
    """Check designs at every combination of constants; say where they fail first.

    Exit codes: 0 done, whatever was found; 2 wrong usage, a mistake in a spec, or a spec that fails
    at some constants; 3 a search was incomplete, or interrupted.
    """
    from specmodel import api
    from specmodel.cli import output as out
    from specmodel.cli import settings as parse
    from specmodel.cli.tally import Tally
    from specmodel.views.series_json import sweep_json
    from specmodel.views.sweep import sweep_csv, sweep_lines

    out.refuse_unwritable(output, keep)
    out.refuse_no_table(save_table)
    varied = parse.ranges(vary or [])
    designs = [bound.load(target) for target in targets]
    with Tally(quiet) as tally:
        try:
            found = api.sweep(
                *designs,
                vary=varied,
                properties=invariants,
                engine=engine,
                jobs=jobs or api.default_workers(),
                master=master,
                kept=keep,
                **limits.given(),
                progress=tally.update,
            )
        except KeyboardInterrupt:
            if keep is not None and tally.done:
                remark(f"{tally.done} of {tally.total} searches are kept in {keep}")
            raise
    out.show(
        form,
        output,
        json=lambda: sweep_json(found),
        csv=lambda: sweep_csv(found),
        text=lambda: sweep_lines(found, out.symbols(output)),
    )
    if save_table is not None:
        out.write_table(save_table, found.table())
    if any(p.outcome.failure for p in found.points):
        return WRONG
    return HOLDS if all(p.outcome.complete for p in found.points) else INCOMPLETE
