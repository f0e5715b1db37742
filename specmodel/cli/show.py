"""`specmodel show`: a design at a glance."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli import output as out
from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Subject


@guarded
def show(subject: Subject) -> int:
    """Show a design: constants, state and bits, actions and guards, properties, difference."""
    from specmodel.model.model import Interpreted
    from specmodel.views.overview import overview

    design = subject.design()
    if isinstance(design.spec, Interpreted):
        from specmodel.cli.module import module_overview  # the front end for TLA+ takes a while

        out.emit(module_overview(design))
        return HOLDS
    out.emit(overview(design, Path.cwd()))
    return HOLDS
