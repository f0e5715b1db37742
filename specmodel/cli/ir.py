"""`specmodel ir`: print what a design is lowered to."""

from __future__ import annotations

from specmodel.cli import output as out
from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Subject


@guarded
def ir(subject: Subject) -> int:
    """Print the typed intermediate form of a design: what the engines compile."""
    from specmodel.ir.printer import render

    design = subject.python_design()
    out.emit([render(design.spec.code).rstrip("\n")])
    return HOLDS
