"""`specmodel conform`: play a design's behaviours to real software."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from specmodel.cli.groups import option
from specmodel.cli.guard import EXIT_CODES, guarded
from specmodel.cli.options import NoProgress, Output, Subject
from specmodel.cli.settings import stage_settings


@guarded
def conform(
    *,
    subject: Subject,
    binding: Annotated[
        Path, typer.Option(metavar="FILE", help="The binding, a Python file. It is run.")
    ],
    subjects: list[str] | None = option(
        None, "A subject of the binding. Repeatable. [default: all]", "--subject", metavar="NAME"
    ),
    stage: str = option("", "A stage of the binding. [default: the first]", metavar="NAME"),
    with_settings: list[str] | None = option(
        None, "A setting of the stage. Repeatable.", "--with", metavar="NAME=VALUE"
    ),
    traces: list[str] | None = option(
        None,
        "An x.itf.json file, a scenario of the binding, a property (its counterexample), or"
        " counterexamples. Repeatable.",
        "--traces",
        metavar="WHAT",
    ),
    covering: bool = option(False, "Walks that together take every action.", "--covering"),
    walks: int = option(0, "That many random walks.", metavar="N", min=0, max=10_000),
    depth: int = option(20, "States of a random walk.", metavar="N", min=2, max=1000),
    seed: int = option(0, "The seed of random walks.", metavar="N"),
    repeat: int = option(1, "Plays of each trace.", metavar="N", min=1, max=1000),
    jobs: int = option(1, "Plays side by side.", metavar="N", min=1, max=64),
    transcripts: Path | None = option(
        None, "Write a transcript of each play here, as JSON lines.", metavar="FOLDER"
    ),
    report: Annotated[Output, "text", "json", "junit", "markdown", "html"],
    quiet: NoProgress = False,
) -> int:
    """Play behaviours of a design to real software, and judge what the software does.

    Exit codes: 0 each play was followed, or the software reported the loss; 1 one parted or lost; 2
    wrong usage or a mistake in a binding; 3 one cannot be compared, or nothing could be played.
    """
    from specmodel.cli.progress import SeriesProgress
    from specmodel.conformance.formats import (
        conformance_document,
        conformance_json,
        conformance_junit,
    )
    from specmodel.conformance.plays import chosen_traces
    from specmodel.conformance.report import conformance_lines, conformance_markdown
    from specmodel.conformance.running import play_all
    from specmodel.conformance.transcripts import write_transcripts
    from specmodel.explorer.bundle import one_page

    design = subject.python_design()
    with SeriesProgress(quiet, "plays") as line:
        found = play_all(
            design,
            binding,
            lambda held: chosen_traces(
                design,
                held,
                traces or [],
                covering=covering,
                walks=walks,
                depth=depth,
                seed=seed,
            ),
            subjects=subjects or [],
            stage=stage,
            settings=stage_settings(with_settings or []),
            repeat=repeat,
            jobs=jobs,
            progress=line.update,
        )
    if transcripts is not None:
        write_transcripts(found, transcripts)
    report.show(
        text=lambda: conformance_lines(found),
        json=lambda: conformance_json(found),
        junit=lambda: conformance_junit(found),
        markdown=lambda: conformance_markdown(found),
        html=lambda: one_page(f"Plays of {found.design}", conformance_document(found), "plays"),
    )
    return EXIT_CODES[found.verdict]
