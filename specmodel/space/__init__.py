"""A state space as data: what a run leaves in a folder, and reading it with or without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specmodel.space.run import Space


def open(folder: str | Path) -> Space:
    """The space that is saved in a folder.

    Raises UsageError if there is none, and where pyarrow or numpy is not installed; DamagedRun.
    """
    from specmodel.space.arrow import need_data

    need_data()
    from specmodel.space.run import Space

    return Space(folder)


__all__ = ["open"]
