"""`specmodel sweep`: designs at many constants."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from specmodel.cli import output as out
from specmodel.cli.groups import argument, option
from specmodel.cli.guard import HOLDS, INCOMPLETE, WRONG, guarded, remark
from specmodel.cli.options import Bound, EachSearch, Jobs, NoProgress, TableOutput


@guarded
def sweep(
    targets: list[str] = argument("DESIGN...", "Names, .yaml files or file.py:spec."),
    *,
    vary: list[str] | None = option(
        None, "A constant with its values: 1..3, or 1,2,5. Repeatable.", metavar="NAME=VALUES"
    ),
    bound: Bound,
    search: Annotated[
        EachSearch, "properties", "engine", "master", "max_states", "max_memory", "timeout"
    ],
    jobs: Jobs = None,
    keep: Path | None = option(
        None, "Keep what is found here, and go on from what is.", metavar="FILE"
    ),
    report: Annotated[TableOutput, "text", "json", "csv"],
    quiet: NoProgress = False,
) -> int:
    """Check designs at every combination of constants; say where they fail first.

    Exit codes: 0 done, whatever was found; 2 wrong usage, a mistake in a spec, or a spec that fails
    at some constants; 3 a search was incomplete, or interrupted.
    """
    from specmodel import api
    from specmodel.cli import settings as parse
    from specmodel.cli.progress import SeriesProgress
    from specmodel.views.series_json import sweep_json
    from specmodel.views.sweep import sweep_csv, sweep_lines

    out.refuse_unwritable(keep)
    varied = parse.ranges(vary or [])
    designs = [bound.load(target) for target in targets]
    with SeriesProgress(quiet) as line:
        try:
            found = api.sweep(
                *designs,
                vary=varied,
                **search.given(),
                jobs=jobs or api.default_workers(),
                kept=keep,
                progress=line.update,
            )
        except KeyboardInterrupt:
            if keep is not None and line.done:
                remark(f"{line.done} of {line.total} searches are kept in {keep}")
            raise
    report.show(
        json=lambda: sweep_json(found),
        csv=lambda: sweep_csv(found),
        text=lambda: sweep_lines(found, report.page()),
    )
    report.save(found.table)
    if any(p.outcome.failure for p in found.points):
        return WRONG
    return HOLDS if all(p.outcome.complete for p in found.points) else INCOMPLETE
