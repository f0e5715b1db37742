"""`specmodel check`: explore a design and say which of its properties hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specmodel.cli.guard import HOLDS, INCOMPLETE, VIOLATED, WRONG, complain, guarded, remark
from specmodel.cli.options import Bound, Form, Format, Limits, Output, Search, Target, TraceOut
from specmodel.cli.viewing import Shown

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.design import Design
    from specmodel.results import PropertyResult, Result, SpecFailure, Trace
    from specmodel.views.trace import TraceView

EXIT_CODES = {"holds": HOLDS, "violated": VIOLATED, "incomplete": INCOMPLETE}


@guarded
def check(
    target: Target,
    *,
    bound: Bound,
    search: Search,
    limits: Limits,
    form: Form = Format.text,
    output: Output = None,
    trace_out: TraceOut = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="The verdict alone.")] = False,
    shown: Shown,
) -> int:
    """Explore a design and say which of its properties hold.

    Exit codes: 0 holds, 1 violated, 2 wrong usage or a mistake in the spec, 3 incomplete,
    4 the engine and CPython disagree.
    """
    from specmodel import api
    from specmodel.cli import output as out
    from specmodel.cli.progress import ProgressLine
    from specmodel.results import SpecFailure

    out.refuse_unwritable(output, trace_out)
    design = bound.load(target)
    view = shown.view(design.spec)
    try:
        with ProgressLine(quiet) as line:
            result = api.check(
                design,
                **search.given(),
                **limits.given(),
                remark=remark,
                progress=line.update if line.wanted else None,
            )
    except SpecFailure as failure:
        write_failure(design, failure, search.engine, trace_out)
        return report_failure(design, failure, form, output, quiet, view)
    out.emit(_report(design, result, form, output, quiet, view), output)
    if trace_out is not None:
        write_counterexample(
            design, result.properties, search.engine, "shortest counterexample", trace_out
        )
    code = EXIT_CODES[result.verdict]
    # Who asked for the space and has it not is told so by the code, unless there is worse to tell.
    unsaved = search.save_space is not None and result.saved is None
    return INCOMPLETE if unsaved and not code else code


def _report(
    design: Design,
    result: Result,
    form: Format,
    file: Path | None,
    quiet: bool,
    view: TraceView | None,
) -> Iterator[Text | str]:
    from specmodel.cli import output as out

    if form is Format.json:
        from specmodel.views.json_result import result_json

        yield result_json(result)
        return
    from specmodel.views.summary import report, verdict_line

    if quiet:
        yield verdict_line(design, result)
    else:
        if result.points:
            from specmodel.views.coverage import coverage_lines

            yield from coverage_lines(result, out.width(), out.symbols(file))
            yield ""
        yield from report(design, result, out.width(), out.symbols(file), view)


def report_failure(
    design: Design,
    failure: SpecFailure,
    form: Format,
    file: Path | None,
    quiet: bool,
    view: TraceView | None = None,
) -> int:
    """A spec that fails during the search: the way there in the report, what is wrong on stderr."""
    from specmodel.cli import output as out
    from specmodel.views.trace import trace_lines

    if failure.trace is not None and form is Format.text and not quiet:
        heading = f"{failure.where} fails after these {failure.trace.length} states:"
        lines = trace_lines(failure.trace, design.spec, out.width(), out.symbols(file), view)
        out.emit([heading, "", *lines, ""], file)
    complain(f"{design.name}: {failure.where}: {failure}")
    return WRONG


def write_failure(design: Design, failure: SpecFailure, engine: str, file: Path | None) -> None:
    """Write the trace to where a spec fails, if there is one and it is asked for, as ITF."""
    if file is not None and failure.trace is not None:
        text = f"{failure.where} of {design.name} fails"
        write_trace(design, failure.trace, "", engine, text, file)


def write_counterexample(
    design: Design, properties: Sequence[PropertyResult], engine: str, what: str, file: Path
) -> None:
    """Write the trace of the first violated property that has one, as ITF."""
    found = [p for p in properties if p.verdict == "violated" and p.trace is not None]
    if not found:
        remark(f"there is no counterexample: {file} is not written")
        return
    first = found[0]
    assert first.trace is not None
    text = f"{what} to {first.name} of {design.name}"
    write_trace(design, first.trace, first.name, engine, text, file)
    for other in found[1:]:
        remark(f"{file} has the trace of {first.name}; for that of {other.name} use --invariant")


def write_trace(
    design: Design, trace: Trace, name: str, engine: str, text: str, file: Path
) -> None:
    """Write a trace to a property, or to no one's, as ITF; `text` says what it is."""
    from specmodel.cli import output as out
    from specmodel.views.itf.write import itf_text

    out.write_file(
        file, itf_text(design, trace, property_name=name, engine=engine, description=text)
    )
