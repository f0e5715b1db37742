"""`specmodel solve`: a behaviour that leads to a state that one describes."""

from __future__ import annotations

from typing import Annotated

import typer

from specmodel.cli.check import told_failure, write_trace
from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, INCOMPLETE, VIOLATED, guarded, remark
from specmodel.cli.options import NoProgress, Search, Subject, TraceOutput
from specmodel.cli.viewing import Shown


@guarded
def solve(
    *,
    subject: Subject,
    reach: Annotated[
        str, typer.Option(metavar="EXPR", help="What is to be true in the last state.")
    ],
    start: str = option("", "What is to be true in a state before.", "--from", metavar="EXPR"),
    engine: str = option("auto", "auto, native, interpret or smt; --from needs smt."),
    search: Annotated[Search, "max_depth", "timeout", "query_timeout"],
    report: TraceOutput,
    quiet: NoProgress = False,
    shown: Shown,
) -> int:
    """Find a shortest behaviour to a state in which an expression is true.

    Exit codes: 0 found; 1 there is none; 2 wrong usage or a mistake in the spec; 3 none was found
    in what was looked at.
    """
    from specmodel import api
    from specmodel.cli.progress import ProgressLine
    from specmodel.views.solution import solution_json, solution_lines

    design = subject.design()
    view = shown.view(design.spec)
    given = search.given()
    with told_failure(design, engine, report, view), ProgressLine(quiet) as line:
        found = api.solve(design, reach, start, engine=engine, **given, progress=line.progress)
    report.show(
        json=lambda: solution_json(found),
        text=lambda: solution_lines(found, report.page(view)),
    )
    if report.trace_out is not None:
        if found.trace is None:
            remark(f"there is no behaviour to save: {report.trace_out} is not written")
        else:
            text = f"a shortest behaviour of {design.name} to {reach}"
            write_trace(design, found.trace, "", found.result.engine, text, report.trace_out)
    if found.trace is not None:
        return HOLDS
    return VIOLATED if found.result.complete else INCOMPLETE
