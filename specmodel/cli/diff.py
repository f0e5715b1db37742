"""`specmodel diff`: the states and steps that only one of two saved spaces has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Form, Format, NoVerify, Output

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.space.diff import Difference


@guarded
def diff(
    first: Annotated[
        Path, typer.Argument(metavar="RUN_A", help="A folder that check --save-space has written.")
    ],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="Another.")],
    full: Annotated[
        bool, typer.Option("--full", help="A way to where they part, for each action.")
    ] = False,
    form: Form = Format.text,
    output: Output = None,
    no_verify: NoVerify = False,
) -> int:
    """Say which states and steps only one of two saved spaces has, with a way to each.

    Starts no Java. Exit codes: 0 done; 2 wrong usage, or spaces that cannot be compared, or
    are damaged.
    """
    from specmodel.cli import output as out
    from specmodel.space.arrow import need_data

    out.refuse_unwritable(output)
    need_data()
    from specmodel.space.diff import difference

    found = difference(first, second, verify=not no_verify)
    out.emit(_report(found, form, output, full), output)
    return HOLDS


def _report(found: Difference, form: Format, file: Path | None, full: bool) -> Iterator[Text | str]:
    from specmodel.cli import output as out
    from specmodel.views.space_difference import difference_json, difference_lines

    if form is Format.json:
        yield difference_json(found)
    else:
        yield from difference_lines(found, out.width(), out.symbols(file), full)
