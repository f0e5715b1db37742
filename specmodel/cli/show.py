"""`specmodel show`: a design at a glance."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Bound, Target


@guarded
def show(target: Target, bound: Bound) -> int:
    """Show a design: constants, state and bits, actions and guards, properties, difference."""
    from specmodel.cli import output as out
    from specmodel.views.overview import overview

    design = bound.load(target)
    out.emit(overview(design, Path.cwd()))
    return HOLDS
