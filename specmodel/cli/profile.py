"""`specmodel profile`: where the states of a design come from."""

from __future__ import annotations

from typing import Annotated

import typer

from specmodel.cli.guard import HOLDS, INCOMPLETE, guarded, remark
from specmodel.cli.options import (
    Bound,
    EachLimits,
    Form,
    Format,
    NoProgress,
    Output,
    Target,
    Workers,
)


@guarded
def profile(
    target: Target,
    *,
    bound: Bound,
    actions: Annotated[
        bool,
        typer.Option("--actions/--no-actions", help="Whether to search without each action, too."),
    ] = True,
    workers: Workers = None,
    limits: EachLimits,
    form: Form = Format.text,
    output: Output = None,
    quiet: NoProgress = False,
) -> int:
    """Explore a design and say which variables and actions make its space as large as it is.

    Exit codes: 0 done; 2 wrong usage or a mistake in the spec; 3 a search was incomplete.
    """
    from specmodel import api
    from specmodel.analysis.profile import profile as profiled
    from specmodel.cli import output as out
    from specmodel.cli.progress import ProgressLine
    from specmodel.results import Options
    from specmodel.views.profile import profile_json, profile_lines

    out.refuse_unwritable(output)
    design = bound.load(target)
    with ProgressLine(quiet) as line:
        options = Options(
            workers=workers or api.default_workers(),
            **limits.given(),
            remark=remark,
            progress=line.update if line.wanted else None,
        )
        found = profiled(design, options, actions=actions)
    out.show(form, output, json=lambda: profile_json(found), text=lambda: profile_lines(found))
    return HOLDS if found.complete else INCOMPLETE
