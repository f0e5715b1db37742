"""State spaces and walks as data: the folders that runs write, read with or without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from specmodel.stores import place

if TYPE_CHECKING:
    from specmodel.space.space import Space
    from specmodel.space.walk_tables import Walks


def open(folder: str | Path, *, verify: bool = True) -> Space | Walks:
    """The space, or the walks, in a folder or at a URL; the manifest says which.

    All files are read once and compared with their checksums; without `verify`, only their lengths
    are compared. Raises UsageError if the folder has neither, and if pyarrow or numpy is not
    installed; DamagedRun.
    """
    # All modules of this package import it first, and some need numpy, which is an extra.
    from specmodel.space.arrow import need_data

    need_data()
    # As above.
    from specmodel.space.manifest import holds_walks
    from specmodel.space.space import Space
    from specmodel.space.walk_tables import Walks

    if holds_walks(place(folder)):
        return Walks(folder, verify=verify)
    return Space(folder, verify=verify)


__all__ = ["open"]
