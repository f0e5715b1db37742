"""`specmodel show`: a design at a glance."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli import output as out
from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import ModuleConfig, Subject, is_module


@guarded
def show(subject: Subject, config: ModuleConfig = None) -> int:
    """Show a design: constants, state and bits, actions and guards, properties, difference."""
    if is_module(subject.target, config):
        from specmodel.cli.module import module_overview

        out.emit(module_overview(subject.target, config, subject.constants))
        return HOLDS
    from specmodel.views.overview import overview

    design = subject.design()
    out.emit(overview(design, Path.cwd()))
    return HOLDS
