"""`specmodel ablate`: which rules of a design carry weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, INCOMPLETE, guarded
from specmodel.cli.options import EachSearch, Jobs, NoProgress, Output, Subject, TableOutput
from specmodel.errors import UsageError
from specmodel.options import MOST

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.design import Design


@guarded
def ablate(
    *,
    subject: Subject,
    actions: list[str] | None = option(
        None, "The rules of this action. Repeatable.", "--action", metavar="NAME"
    ),
    show: int | None = option(
        None, "The report of change N alone.", "--show", metavar="N", min=1, max=MOST
    ),
    search: Annotated[
        EachSearch, "properties", "engine", "master", "max_states", "max_memory", "timeout"
    ],
    jobs: Jobs = None,
    report: TableOutput,
    quiet: NoProgress = False,
) -> int:
    """Weaken each rule of a design alone, and say which properties that breaks.

    Exit codes: 0 done, whatever was found; 2 wrong usage or a mistake in a spec; 3 a search was
    incomplete.
    """
    from specmodel import api
    from specmodel.cli.progress import SeriesProgress
    from specmodel.views.ablation import ablation_lines
    from specmodel.views.series_json import ablation_json

    design = subject.design()
    given = search.given()
    if show is not None:
        if report.save_table is not None:
            raise UsageError("--show is the report of one change: --save-table is for all of them")
        report.write(_shown(design, show, given, report))
        return HOLDS
    with SeriesProgress(quiet) as line:
        found = api.ablate(
            design,
            actions=actions or (),
            **given,
            jobs=jobs or api.default_workers(),
            progress=line.update,
        )
    report.show(
        json=lambda: ablation_json(found),
        text=lambda: ablation_lines(found, report.page()),
    )
    report.save(found.table)
    undecided = any(a.effect == "undecided" for a in found.ablations)
    return INCOMPLETE if undecided else HOLDS


def _shown(
    design: Design, number: int, given: dict[str, Any], report: Output
) -> Iterator[Text | str]:
    """The report of a check of the design with one of the changes."""
    from specmodel import api
    from specmodel.analysis.ablation import planned
    from specmodel.analysis.searches import design_of
    from specmodel.views import summary
    from specmodel.views.ablation import change_line

    _, plan = planned(design, properties=given.get("properties"))
    chosen = next((entry for entry in plan if entry[0] == number), None)
    if chosen is None:
        raise UsageError(f"{design.name} has the changes 1 to {len(plan)}, not {number}")
    _, rule, task = chosen
    changed = design_of(task)
    result = api.check(changed, **given)
    yield change_line(design.name, rule)
    yield ""
    yield from summary.report(changed, result, report.page())
