"""Breaks long lines at places where they are easy to read."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

_GLUE = "\0"
_LEAST = 10
_DEEPER = 4


def wrapped(text: str, room: int) -> list[str]:
    """The lines of a text, at least one; values in brackets stay together if there is room."""
    return _broken(_glued(text), room)


def packed(parts: Sequence[str], room: int) -> list[str]:
    """The lines of a list, commas between; no part is broken if it has room on a line."""
    return _broken(", ".join(part.replace(" ", _GLUE) for part in parts), room) if parts else []


def fitted(line: Text, width: int) -> Iterator[Text]:
    """The line, in parts if it is wider than `width`; later parts are indented further."""
    if len(line) <= width:
        yield line
        return
    indent = len(line.plain) - len(line.plain.lstrip())
    deeper = min(indent + _DEEPER, max(0, width - 2 * _LEAST))
    first, *_ = _broken(_together(line.plain[indent:], width - deeper), width - indent)
    end = indent + len(first)
    yield line[:end]
    rest = line.plain[end:].lstrip()
    for part in _broken(_together(rest, width - deeper), width - deeper):
        begin = line.plain.index(part, end)
        end = begin + len(part)
        yield Text(" " * deeper).append_text(line[begin:end])


def _broken(text: str, room: int) -> list[str]:
    room = max(_LEAST, room)
    found: list[str] = []
    for line in textwrap.wrap(text, room, break_on_hyphens=False, break_long_words=False):
        plain = line.replace(_GLUE, " ")
        if len(plain) <= room:
            found.append(plain)
        else:
            found += textwrap.wrap(plain, room, break_on_hyphens=False)
    return found or [""]


def _together(text: str, room: int) -> str:
    """The text with the blanks inside its columns replaced, for columns that fit on a line."""
    columns = re.split(r"( {2,})", text)
    return "".join(c.replace(" ", _GLUE) if len(c) <= room and c.strip() else c for c in columns)


def _glued(text: str) -> str:
    """The text with the blanks inside brackets replaced."""
    depth, made = 0, ""
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        made += _GLUE if character == " " and depth > 0 else character
    return made
