"""`specmodel ir`: print what a design is lowered to."""

from __future__ import annotations

from importlib import import_module

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Subject


@guarded
def ir(subject: Subject) -> int:
    """Print the typed intermediate form of a design: what the engines compile."""
    from specmodel.cli import output as out

    design = subject.design()
    out.emit([import_module("specmodel.ir.printer").render(design.spec).rstrip("\n")])
    return HOLDS
