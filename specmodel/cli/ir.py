"""`specmodel ir`: print what a design is lowered to."""

from __future__ import annotations

from importlib import import_module

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Bound, Target


@guarded
def ir(target: Target, bound: Bound) -> int:
    """Print the typed intermediate form of a design: what the engines compile."""
    from specmodel.cli import output as out

    design = bound.load(target)
    out.emit([import_module("specmodel.ir.printer").render(design.spec).rstrip("\n")])
    return HOLDS
