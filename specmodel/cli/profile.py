"""`specmodel profile`: where the states of a design come from."""

from __future__ import annotations

from typing import Annotated

from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, INCOMPLETE, guarded, remark
from specmodel.cli.options import EachSearch, NoProgress, Output, Subject


@guarded
def profile(
    *,
    subject: Subject,
    actions: bool = option(
        True, "Whether to search without each action, too.", "--actions/--no-actions"
    ),
    search: Annotated[EachSearch, "workers", "max_states", "max_memory", "timeout"],
    report: Output,
    quiet: NoProgress = False,
) -> int:
    """Explore a design and say which variables and actions make its space as large as it is.

    Exit codes: 0 done; 2 wrong usage or a mistake in the spec; 3 a search was incomplete.
    """
    from specmodel.analysis.checking import options_of
    from specmodel.analysis.profile import profile as profiled
    from specmodel.cli.progress import ProgressLine
    from specmodel.views.profile import profile_json, profile_lines

    design = subject.design()
    with ProgressLine(quiet) as line:
        given = {**search.given(), "symmetry": False, "remark": remark, "progress": line.progress}
        found = profiled(design, options_of(design, given), actions=actions)
    report.show(json=lambda: profile_json(found), text=lambda: profile_lines(found))
    return HOLDS if found.complete else INCOMPLETE
