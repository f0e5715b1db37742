"""`specmodel equal`: whether two designs do the same in every state of their domain."""

from __future__ import annotations

from typing import Annotated

from specmodel.cli.groups import argument, option
from specmodel.cli.guard import EXIT_CODES, guarded
from specmodel.cli.options import Constants, Output, Search


@guarded
def equal(
    one: str = argument("DESIGN", "A design."),
    other: str = argument("OTHER", "One over the same state."),
    *,
    bound: Constants,
    assume: list[str] | None = option(
        None, "Only states in which this invariant of DESIGN holds. Repeatable.", metavar="NAME"
    ),
    search: Annotated[Search, "query_timeout"],
    report: Output,
) -> int:
    """Prove with z3 that the actions of two designs do the same in every state, or show where not.

    Exit codes: 0 equal; 1 different; 2 wrong usage or a mistake in a spec; 3 no answer in time.
    """
    from specmodel import api
    from specmodel.views.equality import equality_json, equality_lines

    found = api.equal(one, other, assume=assume or (), **search.given(), **bound.constants)
    report.show(
        json=lambda: equality_json(found),
        text=lambda: equality_lines(found, report.page()),
    )
    return EXIT_CODES[found.verdict]
