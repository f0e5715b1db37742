"""Puts the models into the wheel, inside the package; a checkout has them beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelsHook(BuildHookInterface[Any]):
    """An editable installation gets no copy: it would go stale, as the models are read in place."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built; `version` is "standard" or "editable"."""
        if version == "editable":
            return
        models = Path(self.root) / "models"
        for file in sorted(models.rglob("*")):
            if file.suffix in (".py", ".yaml"):
                target = Path("specmodel") / file.relative_to(self.root)
                build_data["force_include"][str(file)] = target.as_posix()
