"""`specmodel stats`: what a saved space is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Form, Format, Output

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.space.statistics import Statistics

Run = Annotated[
    Path, typer.Argument(metavar="RUN", help="A folder that check --save-space has written.")
]


@guarded
def stats(run: Run, form: Form = Format.text, output: Output = None) -> int:
    """Say what a saved space is made of: levels, actions, variables, what leads to violations.

    Starts no Java. Exit codes: 0 done; 2 wrong usage, or no such space.
    """
    from specmodel import space
    from specmodel.cli import output as out

    out.refuse_unwritable(output)
    opened = space.open(run)
    from specmodel.space.statistics import statistics

    out.emit(_report(statistics(opened), form), output)
    return HOLDS


def _report(found: Statistics, form: Format) -> Iterator[Text | str]:
    from specmodel.cli import output as out
    from specmodel.views.statistics import statistics_json, statistics_lines

    if form is Format.json:
        yield statistics_json(found)
    else:
        yield from statistics_lines(found, out.width())
