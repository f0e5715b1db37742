"""`specmodel show`: a design at a glance."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Profile, Settings, Target


@guarded
def show(target: Target, settings: Settings = None, profile: Profile = "") -> int:
    """Show a design: constants, state and bits, actions and guards, properties, difference."""
    from specmodel.cli import output as out
    from specmodel.cli import settings as parse
    from specmodel.suite.targets import load_target
    from specmodel.views.overview import overview

    design = load_target(target, parse.constants(settings or []), profile)
    out.emit(overview(design, Path.cwd()))
    return HOLDS
