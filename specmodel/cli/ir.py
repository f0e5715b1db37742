"""`specmodel ir`: print what a design is lowered to."""

from __future__ import annotations

from importlib import import_module

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Profile, Settings, Target


@guarded
def ir(target: Target, settings: Settings = None, profile: Profile = "") -> int:
    """Print the typed intermediate form of a design: what the engines compile."""
    from specmodel.cli import output as out
    from specmodel.cli import settings as parse
    from specmodel.suite.targets import load_target

    design = load_target(target, parse.constants(settings or []), profile)
    out.emit([import_module("specmodel.ir.printer").render(design.spec).rstrip("\n")])
    return HOLDS
