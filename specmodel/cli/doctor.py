"""`specmodel doctor`: what this machine has of all that specmodel can use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from specmodel.cli.guard import HOLDS, WRONG, guarded
from specmodel.cli.options import Form, Format, Output

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.environment import Finding


@guarded
def doctor(form: Form = Format.text, output: Output = None) -> int:
    """Say what this machine has of all that specmodel can use, and what to do about the rest.

    Starts Java to ask its version, not Spark. Exit codes: 0 designs can be checked; 2 they cannot.
    """
    from specmodel import environment
    from specmodel.cli import output as out

    out.refuse_unwritable(output)
    found = list(environment.findings())
    works = environment.works(found)
    out.emit(_report(found, works, form), output)
    return HOLDS if works else WRONG


def _report(found: list[Finding], works: bool, form: Format) -> Iterator[Text | str]:
    from specmodel.cli import output as out
    from specmodel.views.environment import findings_json, findings_lines

    if form is Format.json:
        yield findings_json(found, works)
    else:
        yield from findings_lines(found, works, out.width(), out.symbols())
