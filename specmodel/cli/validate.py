"""`specmodel validate`: whether a log of real software is a behaviour of a design."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from specmodel.cli.groups import option
from specmodel.cli.guard import EXIT_CODES, guarded
from specmodel.cli.options import ModuleConfig, NoProgress, Output, Subject
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
    config: ModuleConfig = None,
    engine: str = option(
        "auto", "What computes steps: auto, native or interpret (CPython).", metavar="NAME"
    ),
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
    )
    from specmodel.conformance.logs.validation import validate_logs

    if engine not in LOG_ENGINES:
        raise UsageError(f'no engine "{engine}": one of {", ".join(LOG_ENGINES)}')
    design = subject.design(config)
    with SeriesProgress(quiet, "events") as line:
        found = validate_logs(design, logs, binding, engine=engine, progress=line.update)
    if trace_out is not None:
        text = f"the behaviour of {summary(found)}"
        write_trace(design, found.trace, "", found.engine, text, trace_out)
    report.show(
        text=lambda: validation_lines(found),
        json=lambda: validation_json(found),
        junit=lambda: validation_junit(found),
    )
    return EXIT_CODES[found.verdict]
