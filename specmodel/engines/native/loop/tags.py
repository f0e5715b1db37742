"""The level of a state, as a tag in the first word of its row."""

from __future__ import annotations

from specmodel.errors import SpecmodelError


class LevelLimit(SpecmodelError):  # noqa: N818 - a limit met, not a mistake made
    """The search went deeper than the greatest level that a tag can hold."""


def tag_of(level: int, shift: int) -> int:
    """The tag of a level, in the bits from `shift` on. Raises LevelLimit if it does not fit."""
    if level + 1 >> 64 - shift:
        raise LevelLimit(
            f"level {level} is deeper than the {64 - shift} bits kept for it can say; "
            "lower the bounds or set a depth limit"
        )
    tag = level + 1 << shift
    return tag - (1 << 64) if tag >> 63 else tag
