"""`specmodel stats`: what a saved space is made of, or what saved walks have shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Form, Format, NoVerify, Output, Run

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.space.run import Space
    from specmodel.space.walks.saved import Walks


@guarded
def stats(
    run: Run, form: Form = Format.text, output: Output = None, no_verify: NoVerify = False
) -> int:
    """Say what a saved space is made of: levels, actions, variables, what leads to violations.

    Of saved walks: their lengths, actions, how many new states came when, what they violate.

    Starts no Java. Exit codes: 0 done; 2 wrong usage, no such space, or a damaged one.
    """
    from specmodel import space
    from specmodel.cli import output as out

    out.refuse_unwritable(output)
    out.emit(_report(space.open(run, verify=not no_verify), form), output)
    return HOLDS


def _report(opened: Space | Walks, form: Format) -> Iterator[Text | str]:
    from specmodel.cli import output as out
    from specmodel.space.walks.saved import Walks

    if isinstance(opened, Walks):
        from specmodel.views.walks import walks_json, walks_lines

        if form is Format.json:
            yield walks_json(opened)
        else:
            yield from walks_lines(opened, out.width())
        return
    from specmodel.space.statistics import statistics
    from specmodel.views.statistics import statistics_json, statistics_lines

    found = statistics(opened)
    if form is Format.json:
        yield statistics_json(found)
    else:
        yield from statistics_lines(found, out.width())
