"""`specmodel new`: a repository of designs to start from."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli import output as out
from specmodel.cli.groups import argument, option
from specmodel.cli.guard import HOLDS, guarded


@guarded
def new(
    name: str = argument("NAME", "Of the design, as lease-store."),
    folder: Path | None = option(None, "Where to. [default: NAME]", metavar="FOLDER"),
) -> int:
    """Make a folder with a spec, two designs, software, a test, a workflow and a hook; all pass.

    Exit codes: 0 done; 2 the name is none, or the folder is there already.
    """
    from specmodel.starter import start

    place = folder or Path(name)
    written = start(name, place)
    out.emit([*map(str, written), "", f"next: cd {place} && specmodel test && pytest"])
    return HOLDS
