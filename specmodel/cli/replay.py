"""`specmodel replay`: walk a recorded trace on its design, or on a rival, as far as it goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specmodel.cli.guard import HOLDS, VIOLATED, guarded
from specmodel.cli.options import Bound, Form, Format

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from specmodel.analysis.rival import Replayed

TraceFile = Annotated[Path, typer.Argument(metavar="TRACE", help="A trace in ITF (x.itf.json).")]
On = Annotated[
    str, typer.Option("--on", metavar="DESIGN", help="By the rules of this design, not its own.")
]


@guarded
def replay(
    file: TraceFile,
    *,
    on: On = "",
    bound: Bound,
    form: Form = Format.text,
) -> int:
    """Replay a recorded trace on its design or a rival; say why, where it cannot go on.

    Exit codes: 0 every step can happen (on its own design: with the recorded states); 1 one cannot;
    2 wrong usage or a mistake in a spec.
    """
    from specmodel import api
    from specmodel.cli import output as out

    found = api.replay_trace(file, on=on, profile=bound.profile, **bound.constants)
    out.emit(_report(found, form))
    as_recorded = found.blocked is None and (bool(on) or found.parting is None)
    return HOLDS if as_recorded else VIOLATED


def _report(found: Replayed, form: Format) -> Iterator[Text | str]:
    from specmodel.cli import output as out

    if form is Format.json:
        from specmodel.views.comparison_json import replay_json

        yield replay_json(found)
        return
    from specmodel.views.replay import replay_lines

    yield from replay_lines(found, out.width(), out.symbols())
