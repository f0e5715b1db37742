"""`specmodel equal`: whether two designs do the same in every state of their domain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specmodel.cli.guard import HOLDS, INCOMPLETE, VIOLATED, guarded
from specmodel.cli.options import Constants, Form, Format, Output, QueryTimeout

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.analysis.equality import Equality

EXIT_CODES = {"equal": HOLDS, "different": VIOLATED, "unknown": INCOMPLETE}


@guarded
def equal(
    one: Annotated[str, typer.Argument(metavar="DESIGN", help="A design.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="One over the same state.")],
    *,
    bound: Constants,
    assume: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Only states in which this invariant of DESIGN holds. Repeatable."
        ),
    ] = None,
    query_timeout: QueryTimeout = None,
    form: Form = Format.text,
    output: Output = None,
) -> int:
    """Prove with z3 that the actions of two designs do the same in every state, or show where not.

    Exit codes: 0 equal; 1 different; 2 wrong usage or a mistake in a spec; 3 no answer in time.
    """
    from specmodel import api
    from specmodel.cli import output as out
    from specmodel.cli import settings as parse

    out.refuse_unwritable(output)
    found = api.equal(
        one,
        other,
        assume=assume or (),
        query_timeout=parse.duration(query_timeout),
        **bound.constants,
    )
    out.emit(_report(found, form, output), output)
    return EXIT_CODES[found.verdict]


def _report(found: Equality, form: Format, file: Path | None) -> Iterator[Text | str]:
    from specmodel.cli import output as out

    if form is Format.json:
        from specmodel.views.equality import equality_json

        yield equality_json(found)
    else:
        from specmodel.views.equality import equality_lines

        yield from equality_lines(found, out.width(), out.symbols(file))
