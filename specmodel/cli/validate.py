"""`specmodel validate`: whether a log of real software is a behaviour of a design."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from specmodel.cli.groups import option
from specmodel.cli.guard import EXIT_CODES, guarded
from specmodel.cli.options import NoProgress, Output, Subject
from specmodel.errors import UsageError

LOG_ENGINES = ("auto", "native", "interpret")


@guarded
def validate(
    *,
    subject: Subject,
    logs: Annotated[
        list[Path],
        typer.Argument(metavar="LOG...", help="Logs as JSON lines; several are of several nodes."),
    ],
    binding: Annotated[
        Path, typer.Option(metavar="FILE", help="The binding, a Python file. It is run.")
    ],
    engine: str = option(
        "auto", "What computes steps: auto, native or interpret (CPython).", metavar="NAME"
    ),
    each: bool = option(False, "Each log by itself, not as logs of several nodes.", "--each"),
    trace_out: Path | None = option(
        None, "Write the behaviour, as far as it goes, in ITF.", "--trace-out", metavar="FILE"
    ),
    report: Annotated[Output, "text", "json", "junit"],
    quiet: NoProgress = False,
) -> int:
    """Say whether the events of a log are a behaviour of a design, or where they stop being one.

    Exit codes: 0 they are; 1 they are not; 2 wrong usage, or a mistake in the binding or a log.
    """
    from specmodel.cli.check import write_trace
    from specmodel.cli.progress import SeriesProgress
    from specmodel.conformance.logs.report import (
        summary,
        validation_json,
        validation_junit,
        validation_lines,
        validations_json,
        verdict_of,
    )
    from specmodel.conformance.logs.validation import LogValidator

    if engine not in LOG_ENGINES:
        raise UsageError(f'no engine "{engine}": one of {", ".join(LOG_ENGINES)}')
    if each and trace_out is not None:
        raise UsageError("--trace-out is for one behaviour: leave out --each")
    design = subject.design()
    validator = LogValidator(design, binding, engine)
    with SeriesProgress(quiet, "events") as line:
        groups = [[log] for log in logs] if each else [logs]
        found = [validator.validated(group, line.update) for group in groups]
    if trace_out is not None:
        text = f"the behaviour of {summary(found[0])}"
        write_trace(design, found[0].trace, "", found[0].engine, text, trace_out)
    report.show(
        text=lambda: validation_lines(found),
        json=lambda: validations_json(found) if each else validation_json(found[0]),
        junit=lambda: validation_junit(found),
    )
    return EXIT_CODES[verdict_of(found)]
