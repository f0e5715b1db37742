"""`specmodel trace`: validate a recorded trace against its spec and print it again."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli import output as out
from specmodel.cli.groups import argument, option
from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Bound
from specmodel.cli.viewing import Shown
from specmodel.errors import UsageError


@guarded
def trace(
    file: Path = argument("FILE", "A trace in ITF (x.itf.json)."),
    *,
    design_name: str = option(
        "", "Replay on this design, not the file's own.", "--design", metavar="DESIGN"
    ),
    bound: Bound,
    shown: Shown,
) -> int:
    """Print a recorded trace, after each step has been found to be one that its spec allows.

    Runs the spec that the file names if it is below the current folder or among the models. Exit
    codes: 0 the trace is one of the spec's; 2 it is not.
    """
    from specmodel.analysis.trace_files import design_of
    from specmodel.behaviour.replay import Replay
    from specmodel.results import PropertyResult
    from specmodel.traces.itf_read import about, read_itf, states_of
    from specmodel.views.explanation import explained
    from specmodel.views.summary import count
    from specmodel.views.trace import trace_lines

    given = bound.constants
    with about(file):
        recorded = read_itf(file)
        design = design_of(recorded, bound.named(design_name), given, bound.profile, "--design")
        replay = Replay(design, states_of(recorded, design.spec.domain), recorded.actions)
        try:
            found = replay.trace(recorded.loop)
            violates = replay.violates(recorded.property, found)
        except UsageError as wrong:
            raise UsageError(f"{file} does not replay on {design.name}: {wrong}") from None
    spec = design.spec
    page = out.page(view=shown.view(spec))
    out.emit(trace_lines(found, spec, page, recorded.property if violates else ""))
    ending, taken = "", len(found.steps) + (found.back is not None)
    if violates is not None:
        rule = next((r for r in spec.properties if r.name == recorded.property), None)
        words = "is met" if rule and rule.role == "reachable" else "is violated"
        lasso = replay.lasso(recorded.property, found)
        where = "by it" if lasso else "at its end"
        ending = f" and {recorded.property} {words if violates else 'holds'} {where}"
        if lasso and not lasso.fair:
            ending = f", but {recorded.property} is not violated: the behaviour is not fair"
        if rule and (lasso or (violates and rule.role != "reachable")):
            judged = PropertyResult(rule.name, rule.role, "violated", found, lasso)
            out.emit(["", *explained(spec, judged, page)])
    out.emit(["", f"{design.name} allows each of the {count(taken, 'step')}{ending}"])
    return HOLDS
