"""`specmodel minimise`: the simplest trace that shows what a recorded one does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from specmodel.cli import output as out
from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Bound, EachSearch, Format, TraceFile
from specmodel.cli.viewing import Shown


@guarded
def minimise(
    file: TraceFile,
    *,
    finding: str = option("", "What it violates, not what it says.", "--property", metavar="NAME"),
    main: list[str] | None = option(
        None, "An action of the main path. Repeatable.", "--main", metavar="ACTION"
    ),
    on: str = option("", "The design, if not its own.", "--on", metavar="DESIGN"),
    bound: Bound,
    search: Annotated[EachSearch, "max_states", "max_memory", "timeout"],
    trace_out: Path | None = option(
        None, "Write the trace here, as ITF (x.itf.json).", metavar="FILE"
    ),
    shown: Shown,
    report: Format,
) -> int:
    """Find the shortest trace to the violation of a recorded one; of those, the plainest.

    Exit codes: 0 done; 2 wrong usage, or a trace that does not replay or violates nothing; 3 a
    limit was reached before there was an answer.
    """
    from specmodel.analysis import minimising
    from specmodel.analysis.searches import SearchLimits
    from specmodel.analysis.trace_files import read_on
    from specmodel.traces.itf_read import about
    from specmodel.views.minimised import minimised_lines
    from specmodel.views.series_json import minimised_json

    out.refuse_unwritable(trace_out)
    most = SearchLimits(**search.given())
    given = bound.constants
    with about(file):
        recorded, design = read_on(file, bound.named(on), given, bound.profile)
        trace, name = minimising.found_by(recorded, design, finding)
    view = shown.view(design.spec)
    found = minimising.minimise(design, trace, name, main=main, limits=most)
    report.show(
        json=lambda: minimised_json(found),
        text=lambda: minimised_lines(design, found, report.page(view)),
    )
    if trace_out is not None:
        from specmodel.traces.itf_write import itf_text

        description = f"plainest of the shortest traces to {name} of {design.name}"
        text = itf_text(design, found.trace, property_name=name, description=description)
        out.write_file(trace_out, text)
    return HOLDS
