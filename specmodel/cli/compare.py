"""`specmodel compare`: designs side by side, and the counterexamples of each on the others."""

from __future__ import annotations

from typing import Annotated, Any

from specmodel.cli.groups import argument
from specmodel.cli.guard import HOLDS, INCOMPLETE, guarded
from specmodel.cli.options import Constants, EachSearch, NoProgress, TableOutput


@guarded
def compare(
    targets: list[str] = argument("DESIGN...", "Names, .yaml files or file.py:spec; two or more."),
    *,
    bound: Constants,
    search: Annotated[
        EachSearch,
        "properties",
        "engine",
        "workers",
        "master",
        "max_states",
        "max_depth",
        "timeout",
    ],
    report: Annotated[TableOutput, "text", "json", "markdown"],
    quiet: NoProgress = False,
) -> int:
    """Compare designs: verdicts, actions, and why one escapes the other's counterexample.

    Exit codes: 0 compared, whatever the verdicts; 2 wrong usage or a mistake in a spec; 3 a search
    was incomplete.
    """
    from specmodel import api
    from specmodel.cli.progress import ProgressLine
    from specmodel.views.comparison import comparison_lines
    from specmodel.views.comparison_json import comparison_json
    from specmodel.views.comparison_markdown import comparison_markdown

    given: dict[str, Any] = {**bound.constants, **search.given()}
    with ProgressLine(quiet) as line:
        found = api.compare(*targets, **given, progress=line.progress)
    report.show(
        json=lambda: comparison_json(found),
        markdown=lambda: comparison_markdown(found),
        text=lambda: comparison_lines(found, report.page()),
    )
    report.save(found.table)
    return HOLDS if found.complete else INCOMPLETE
