"""`specmodel solve`: a behaviour that leads to a state that one describes."""

from __future__ import annotations

from typing import Annotated

import typer

from specmodel.cli.check import report_failure, write_failure, write_trace
from specmodel.cli.guard import HOLDS, INCOMPLETE, VIOLATED, guarded, remark
from specmodel.cli.options import (
    Bound,
    Form,
    Format,
    MaxDepth,
    Output,
    QueryTimeout,
    Target,
    Timeout,
    TraceOut,
)
from specmodel.cli.viewing import Shown


@guarded
def solve(
    target: Target,
    *,
    reach: Annotated[
        str, typer.Option(metavar="EXPR", help="What is to be true in the last state.")
    ],
    start: Annotated[
        str, typer.Option("--from", metavar="EXPR", help="What is to be true in a state before.")
    ] = "",
    bound: Bound,
    engine: Annotated[
        str, typer.Option(help="auto, native, interpret or smt; --from needs smt.")
    ] = "auto",
    max_depth: MaxDepth = None,
    timeout: Timeout = None,
    query_timeout: QueryTimeout = None,
    form: Form = Format.text,
    output: Output = None,
    trace_out: TraceOut = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No line of progress.")] = False,
    shown: Shown,
) -> int:
    """Find a shortest behaviour to a state in which an expression is true.

    Exit codes: 0 found; 1 there is none; 2 wrong usage or a mistake in the spec; 3 none was found
    in what was looked at.
    """
    from specmodel import api
    from specmodel.cli import output as out
    from specmodel.cli import settings as parse
    from specmodel.cli.progress import ProgressLine
    from specmodel.results import SpecFailure
    from specmodel.views.solution import solution_json, solution_lines

    out.refuse_unwritable(output, trace_out)
    design = bound.load(target)
    view = shown.view(design.spec)
    try:
        with ProgressLine(quiet) as line:
            found = api.solve(
                design,
                reach,
                start,
                engine=engine,
                max_depth=max_depth,
                timeout=parse.duration(timeout),
                query_timeout=parse.duration(query_timeout),
                progress=line.update if line.wanted else None,
            )
    except SpecFailure as failure:
        write_failure(design, failure, engine, trace_out)
        return report_failure(design, failure, form, output, False, view)
    out.show(
        form,
        output,
        json=lambda: solution_json(found),
        text=lambda: solution_lines(found, out.width(), out.symbols(output), view),
    )
    if trace_out is not None:
        if found.trace is None:
            remark(f"there is no behaviour to save: {trace_out} is not written")
        else:
            text = f"a shortest behaviour of {design.name} to {reach}"
            write_trace(design, found.trace, "", found.result.engine, text, trace_out)
    if found.trace is not None:
        return HOLDS
    return VIOLATED if found.result.complete else INCOMPLETE
