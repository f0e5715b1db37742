"""`specmodel counterexamples`: several of different shapes, and the graph of all the shortest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from specmodel.cli import output as out
from specmodel.cli.check import write_trace
from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, guarded, remark
from specmodel.cli.options import EachSearch, Output, Subject
from specmodel.options import MOST


@guarded
def counterexamples(
    *,
    subject: Subject,
    name: str = option(
        "", "To this one. [default: the first violated]", "--property", metavar="NAME"
    ),
    most: int = option(5, "So many at most.", min=1, max=MOST),
    longer: int = option(4, "States more than the shortest, at most.", min=0, max=MOST),
    search: Annotated[EachSearch, "max_states", "max_memory", "timeout"],
    report: Output,
    traces: Path | None = option(
        None, "Write each trace into this folder, as ITF.", metavar="FOLDER"
    ),
) -> int:
    """Find counterexamples that differ in what happens; of a reachable property, witnesses.

    Exit codes: 0 done; 2 wrong usage, or there is none; 3 a limit was reached before there was one.
    """
    from specmodel import api
    from specmodel.views.counterexamples import counterexample_lines, counterexamples_json

    out.refuse_unwritable(*([traces / "1.itf.json"] if traces else []))
    design = subject.design()
    found = api.counterexamples(design, name, most=most, longer=longer, **search.given())
    report.show(
        json=lambda: counterexamples_json(design, found),
        text=lambda: counterexample_lines(design, found, report.page()),
    )
    if traces is not None:
        for number, shaped in enumerate(found.found, start=1):
            file = traces / f"{found.design}-{found.property}-{number}.itf.json"
            text = f"number {number} of {len(found.found)} to {found.property} of {found.design}"
            write_trace(design, shaped.trace, found.property, "", text, file)
        remark(f"{len(found.found)} traces are in {traces}")
    return HOLDS
