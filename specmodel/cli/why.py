"""`specmodel why`: why an action cannot happen in a state of a trace, or a property is false."""

from __future__ import annotations

from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Bound, Format, On, TraceFile


@guarded
def why(
    file: TraceFile,
    *,
    step: int | None = option(
        None, "The state, from 1. [default: the last]", "--step", metavar="N"
    ),
    action: str = option(
        "", "A name or kind: fetch, fetch(follower=r2).", "--action", metavar="ACTION"
    ),
    properties: list[str] | None = option(
        None, "A property, of any kind. Repeatable.", "--invariant", metavar="NAME"
    ),
    on: On = "",
    bound: Bound,
    report: Format,
) -> int:
    """Say why an action can or cannot happen in a state of a trace, and why properties are false.

    Each condition is shown with its value, and beside what decides it the step that wrote it last.
    """
    from specmodel import api
    from specmodel.views.comparison_json import reasons_json
    from specmodel.views.reasons import ReasonsText

    found = api.why(
        file,
        step=step,
        action=action,
        properties=properties,
        on=bound.named(on),
        profile=bound.profile,
        **bound.constants,
    )
    report.show(
        json=lambda: reasons_json(found),
        text=lambda: ReasonsText(found, report.page()).lines(),
    )
    return HOLDS
