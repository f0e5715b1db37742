"""`specmodel check`: explore a design and say which of its properties hold."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from specmodel.cli import output as out
from specmodel.cli.groups import option
from specmodel.cli.guard import EXIT_CODES, INCOMPLETE, WRONG, complain, guarded, remark
from specmodel.cli.options import Output, Search, Subject, TraceOutput
from specmodel.cli.viewing import Shown
from specmodel.errors import UsageError
from specmodel.options import REPORT

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.design import Design
    from specmodel.results import PropertyResult, Result, Trace
    from specmodel.views.selection import TraceView


T = TypeVar("T")


@guarded
def check(
    *,
    subject: Subject,
    search: Search,
    report: TraceOutput,
    quiet: bool = option(False, "The verdict alone.", "--quiet", "-q", panel=REPORT),
    shown: Shown,
) -> int:
    """Explore a design and say which of its properties hold.

    Exit codes: 0 holds, 1 violated, 2 wrong usage or a mistake in the spec, 3 incomplete,
    4 the engine and CPython disagree.
    """
    from specmodel import api
    from specmodel.cli.progress import ProgressLine
    from specmodel.model.model import Interpreted
    from specmodel.views.json_result import result_json

    design = subject.design()
    view = shown.view(design.spec)
    given = search.given()
    if given.get("symmetry") is False and design.symmetry and isinstance(design.spec, Interpreted):
        raise UsageError("--no-symmetry: leave SYMMETRY out of the configuration")
    with told_failure(design, given["engine"], report, view, quiet), ProgressLine(quiet) as line:
        result = api.check(design, **given, remark=remark, progress=line.progress)
    design, result = told(design, result)
    report.show(
        json=lambda: result_json(result),
        text=lambda: _lines(design, result, report, quiet, view),
    )
    if report.trace_out is not None:
        what = "shortest counterexample"
        write_counterexample(design, result.properties, result.engine, what, report.trace_out)
    code = EXIT_CODES[result.verdict]
    # The state space was asked for but not saved: exit with INCOMPLETE, unless a violation gives a
    # stronger code.
    unsaved = given.get("save_space") is not None and result.saved is None
    return INCOMPLETE if unsaved and not code else code


def _lines(
    design: Design, result: Result, report: Output, quiet: bool, view: TraceView | None
) -> Iterator[Text | str]:
    from specmodel.views import summary

    if quiet:
        yield summary.verdict_line(design, result)
        return
    if result.points:
        from specmodel.views.coverage import coverage_lines

        yield from coverage_lines(result, report.page())
        yield ""
    yield from summary.report(design, result, report.page(view))


def told(design: Design, result: T) -> tuple[Design, T]:
    """A design and its result as reports show them."""
    from specmodel.model.model import Interpreted

    return (
        design.spec.told(design, result)
        if isinstance(design.spec, Interpreted)
        else (design, result)
    )


@contextmanager
def told_failure(
    design: Design, engine: str, report: TraceOutput, view: TraceView | None, quiet: bool = False
) -> Generator[None]:
    """Ends the command where a spec fails during a search: reports the trace, writes it as ITF if
    asked to, and prints the error on stderr.
    """
    from specmodel.model.model import Interpreted
    from specmodel.results import SpecFailure

    try:
        yield
    except SpecFailure as found:
        spec = design.spec
        failure: SpecFailure = spec.told_failure(found) if isinstance(spec, Interpreted) else found
        from specmodel.views.trace import trace_lines  # needed only if the spec fails

        trace = failure.trace
        if trace is not None and report.trace_out is not None:
            text = f"{failure.where} of {design.name} fails"
            write_trace(design, trace, "", engine, text, report.trace_out)
        if trace is not None and report.form.value == "text" and not quiet:
            heading = f"{failure.where} fails after these {trace.length} states:"
            lines = trace_lines(trace, design.spec, report.page(view))
            report.write([heading, "", *lines, ""])
        complain(f"{design.name}: {failure.where}: {failure}")
        raise typer.Exit(WRONG) from None


def write_counterexample(
    design: Design, properties: Sequence[PropertyResult], engine: str, what: str, file: Path
) -> None:
    """Writes the trace of the first violated property that has one, as ITF."""
    found = [(p.name, p.counterexample) for p in properties if p.counterexample is not None]
    if not found:
        remark(f"there is no counterexample: {file} is not written")
        return
    first, trace = found[0]
    write_trace(design, trace, first, engine, f"{what} to {first} of {design.name}", file)
    for other, _ in found[1:]:
        remark(f"{file} has the trace of {first}; for that of {other} use --invariant")


def write_trace(
    design: Design, trace: Trace, name: str, engine: str, text: str, file: Path
) -> None:
    """Writes a trace of a property, or of none, as ITF; `text` describes it."""
    from specmodel.traces.itf_write import itf_text

    written = itf_text(design, trace, property_name=name, engine=engine, description=text)
    out.write_file(file, written)
