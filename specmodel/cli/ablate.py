"""`specmodel ablate`: which rules of a design carry weight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specmodel.cli.guard import HOLDS, INCOMPLETE, guarded
from specmodel.cli.options import (
    MOST,
    Bound,
    EachLimits,
    Engine,
    Form,
    Format,
    Invariants,
    Jobs,
    Master,
    NoProgress,
    Output,
    SaveTable,
    Target,
)

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.analysis.searches import Limits
    from specmodel.design import Design


@guarded
def ablate(
    target: Target,
    *,
    bound: Bound,
    actions: Annotated[
        list[str] | None,
        typer.Option("--action", metavar="NAME", help="The rules of this action. Repeatable."),
    ] = None,
    invariants: Invariants = None,
    show: Annotated[
        int | None,
        typer.Option("--show", metavar="N", min=1, max=MOST, help="The report of change N alone."),
    ] = None,
    engine: Engine = "native",
    jobs: Jobs = None,
    master: Master = None,
    limits: EachLimits,
    form: Form = Format.text,
    output: Output = None,
    save_table: SaveTable = None,
    quiet: NoProgress = False,
) -> int:
    """Weaken each rule of a design alone, and say which properties that breaks.

    Exit codes: 0 done, whatever was found; 2 wrong usage or a mistake in a spec; 3 a search was
    incomplete.
    """
    from specmodel import api
    from specmodel.analysis.searches import Limits
    from specmodel.cli import output as out
    from specmodel.cli.tally import Tally
    from specmodel.errors import UsageError
    from specmodel.views.ablation import ablation_lines
    from specmodel.views.series_json import ablation_json

    out.refuse_unwritable(output)
    out.refuse_no_table(save_table)
    design = bound.load(target)
    given = limits.given()
    if show is not None:
        if save_table is not None:
            raise UsageError("--show is the report of one change: --save-table is for all of them")
        out.emit(_shown(design, show, invariants, engine, Limits(**given), output), output)
        return HOLDS
    with Tally(quiet) as tally:
        found = api.ablate(
            design,
            actions=actions or (),
            properties=invariants,
            engine=engine,
            jobs=jobs or api.default_workers(),
            master=master,
            **given,
            progress=tally.update,
        )
    out.show(
        form,
        output,
        json=lambda: ablation_json(found),
        text=lambda: ablation_lines(found, out.width(), out.symbols(output)),
    )
    if save_table is not None:
        out.write_table(save_table, found.table())
    undecided = any(a.effect == "undecided" for a in found.ablations)
    return INCOMPLETE if undecided else HOLDS


def _shown(
    design: Design,
    number: int,
    properties: list[str] | None,
    engine: str,
    limits: Limits,
    file: Path | None,
) -> Iterator[Text | str]:
    """The report of a check of the design with one of the changes."""
    from specmodel import api
    from specmodel.analysis.ablation import planned
    from specmodel.analysis.searches import design_of
    from specmodel.cli import output as out
    from specmodel.errors import UsageError
    from specmodel.views.ablation import change_line
    from specmodel.views.summary import report

    _, plan = planned(design, properties=properties, engine=engine, limits=limits)
    chosen = next((entry for entry in plan if entry[0] == number), None)
    if chosen is None:
        raise UsageError(f"{design.name} has the changes 1 to {len(plan)}, not {number}")
    _, rule, task = chosen
    changed = design_of(task)
    result = api.check(
        changed,
        engine=engine,
        properties=properties,
        max_states=limits.max_states,
        max_memory=limits.max_memory,
        timeout=limits.timeout,
    )
    yield change_line(design.name, rule)
    yield ""
    yield from report(changed, result, out.width(), out.symbols(file))
