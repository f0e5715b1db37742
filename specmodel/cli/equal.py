"""`specmodel equal`: whether two designs do the same in every state, or under a map."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from specmodel.cli.groups import argument, option
from specmodel.cli.guard import EXIT_CODES, guarded
from specmodel.cli.options import Constants, NoProgress, Output, Search
from specmodel.errors import UsageError


@guarded
def equal(
    one: str = argument("DESIGN", "A design; with --map, a TLA+ module."),
    other: str = argument("OTHER", "One over the same state; with --map, any design."),
    *,
    bound: Constants,
    assume: list[str] | None = option(
        None, "Only states in which this invariant of DESIGN holds. Repeatable.", metavar="NAME"
    ),
    mapped: Path | None = option(
        None,
        "Search the states of OTHER, each with the state of DESIGN that this Python file gives.",
        "--map",
        metavar="FILE",
    ),
    search: Annotated[Search, "query_timeout", "max_states", "timeout"],
    report: Output,
    quiet: NoProgress = False,
) -> int:
    """Prove with z3 that the actions of two designs do the same in every state, or show where not.

    With --map: search for a state in which they do not, among those that can be reached.

    Exit codes: 0 equal; 1 different; 2 wrong usage or a mistake in a spec; 3 no answer in time.
    """
    given = search.given()
    if mapped is not None:
        if assume or "query_timeout" in given:
            raise UsageError("--assume and --query-timeout are for z3, which --map does not ask")
        return _under(one, other, mapped, {**given, **bound.constants}, report, quiet)
    if given.keys() & {"max_states", "timeout"}:
        raise UsageError("--max-states and --timeout go with --map")
    from specmodel import api
    from specmodel.views.equality import equality_json, equality_lines

    found = api.equal(one, other, assume=assume or (), **given, **bound.constants)
    report.show(
        json=lambda: equality_json(found),
        text=lambda: equality_lines(found, report.page()),
    )
    return EXIT_CODES[found.verdict]


def _under(
    one: str, other: str, file: Path, given: dict[str, Any], report: Output, quiet: bool
) -> int:
    """The comparison of two designs under a map."""
    from specmodel import api
    from specmodel.cli.progress import ProgressLine
    from specmodel.views.correspondence import correspondence_json, correspondence_lines

    with ProgressLine(quiet) as line:
        found = api.equal_under(one, other, file, progress=line.progress, **given)
    report.show(
        json=lambda: correspondence_json(found),
        text=lambda: correspondence_lines(found, report.page()),
    )
    return EXIT_CODES[found.verdict]
