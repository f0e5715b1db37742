"""The symbols of text views, and their replacements if only ASCII can be shown."""

from __future__ import annotations

from specmodel.dataclass import dataclass


@dataclass(frozen=True)
class Symbols:
    """Each carries a meaning that a colour only repeats."""

    arrow: str
    true: str
    false: str
    unknown: str
    leader: str
    stale_leader: str
    high_watermark: str
    truncated: str
    differs: str
    new: str
    cursor: str
    changed: str
    ellipsis: str
    below: str
    loop: tuple[str, str, str]
    """The first, a middle and the last line of the cycle."""


UNICODE = Symbols(
    "→", "✓", "✗", "?", "★", "☆", "▲", "~", "≠", "+", "▽", "◆", "…", "└", ("┌", "│", "└")
)
ASCII = Symbols(
    "->", "+", "x", "?", "*", "o", "^", "~", "#", "+", "v", "!", "..", "`-", ("/", "|", "\\")
)
