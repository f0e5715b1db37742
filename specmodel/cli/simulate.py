"""`specmodel simulate`: walk through a design at random, looking for what is violated."""

from __future__ import annotations

import enum
from typing import Annotated

from specmodel.cli.check import told, told_failure, write_counterexample
from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, INCOMPLETE, VIOLATED, guarded, remark
from specmodel.cli.options import Search, Subject, TraceOutput
from specmodel.cli.viewing import Shown
from specmodel.options import FOLDER_OR_URL, REPORT


class Chosen(enum.StrEnum):
    """The strategies by which walks choose a binding."""

    uniform = "uniform"
    weighted = "weighted"
    coverage = "coverage"
    pct = "pct"


@guarded
def simulate(
    *,
    subject: Subject,
    walks: str | None = option(
        None, "Walks: 5000, 200k, 10M. [default: 100k, without --time]", metavar="N"
    ),
    depth: int = option(100, "States of a walk, at most.", min=1),
    time: str | None = option(None, "Walk for this time: 60s, 5m.", metavar="TIME"),
    seed: int = option(0, "Other walks for another seed, the same for the same.", min=0),
    strategy: Chosen = option(Chosen.uniform, "uniform, weighted, coverage or pct."),
    weights: list[str] | None = option(
        None, "Of an action, for weighted. Repeatable.", "--weight", metavar="ACTION=N"
    ),
    order: int | None = option(None, "The depth of bugs sought by pct. [default: 3]", min=1),
    search: Annotated[
        Search, "properties", "deadlock", "engine", "workers", "master", "self_check"
    ],
    save_walks: str | None = option(
        None,
        "Leave tables of the walks here, as Parquet files.",
        metavar=FOLDER_OR_URL,
        panel=REPORT,
    ),
    report: TraceOutput,
    quiet: bool = option(False, "The last line alone.", "--quiet", "-q", panel=REPORT),
    shown: Shown,
) -> int:
    """Walk through a design at random until something is violated, or for as long as asked.

    Exit codes: 0 nothing was found, which shows nothing of what was not visited; 1 violated; 2
    wrong usage or a mistake in the spec; 3 interrupted, or the walks could not be saved, or the
    time was up while the spec was compiled; 4 the engine and CPython disagree.
    """
    from specmodel import api
    from specmodel.cli import settings as parse
    from specmodel.cli.progress import ProgressLine
    from specmodel.views import simulation as views
    from specmodel.views.json_result import simulation_json

    design = subject.design()
    view = shown.view(design.spec)
    given = search.given()
    engine = given["engine"]
    with told_failure(design, engine, report, view, quiet), ProgressLine(quiet) as line:
        found = api.simulate(
            design,
            walks=parse.amount(walks),
            depth=depth,
            seed=seed,
            strategy=strategy.value,
            weights=parse.weights(weights or []),
            order=order,
            timeout=parse.duration(time),
            **given,
            save_walks=save_walks,
            remark=remark,
            progress=line.progress,
        )
    design, found = told(design, found)
    report.show(
        json=lambda: simulation_json(found),
        text=lambda: (
            [views.outcome_line(design, found)]
            if quiet
            else views.report(design, found, report.page(view))
        ),
    )
    if report.trace_out is not None:
        write_counterexample(design, found.properties, engine, "counterexample", report.trace_out)
    if found.violated:
        return VIOLATED
    # The walks were asked for but not saved: the exit code says so, too.
    if save_walks is not None and found.saved is None:
        return INCOMPLETE
    return INCOMPLETE if found.stopped == "interrupted" else HOLDS
