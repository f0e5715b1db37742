"""Makes a module that shows a difference small."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from tests.tla.random_actions import RandomModule

_OPEN, _CLOSED = "([{<", ")]}>"
_PLAIN = ("TRUE", "FALSE", "0", "{}", "<<>>", "x", "y", "z")


def reduced(
    module: RandomModule, shows: Callable[[RandomModule], bool], seconds: float
) -> RandomModule:
    """A smaller module that `shows` accepts, found within some seconds."""
    until = time.monotonic() + seconds
    going = True
    while going:
        going = False
        for smaller in _smaller(module):
            if time.monotonic() > until:
                return module
            if len(smaller.text) < len(module.text) or smaller.text == module.text:
                try:
                    found = shows(smaller)
                except Exception:
                    found = False
                if found:
                    module, going = smaller, True
                    break
    return module


def _smaller(module: RandomModule) -> Iterator[RandomModule]:
    given = module.configuration.splitlines(keepends=True)
    for i, line in enumerate(given):
        if line.split(" ")[0] in ("INVARIANT", "PROPERTY", "CONSTRAINT"):
            yield RandomModule(module.text, "".join(given[:i] + given[i + 1 :]))
    lines = module.text.splitlines(keepends=True)
    for i in range(4, len(lines) - 1):
        yield RandomModule("".join(lines[:i] + lines[i + 1 :]), module.configuration)
    groups = sorted(_groups(module.text), key=lambda g: g[0] - g[1])
    for start, end in groups:
        inner = [g for g in groups if start < g[0] and g[1] < end]
        for a, b in inner[:6]:
            yield _with(module, start, end, module.text[a:b])
        for plain in _PLAIN:
            yield _with(module, start, end, plain)


def _with(module: RandomModule, start: int, end: int, text: str) -> RandomModule:
    return RandomModule(module.text[:start] + text + module.text[end:], module.configuration)


def _groups(text: str) -> list[tuple[int, int]]:
    """The places of the parts in parentheses of any kind."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    first = text.index("VARIABLES")
    for place in range(first, len(text)):
        char = text[place]
        if char in "<>" and text[place - 1 : place + 1] != char * 2:
            continue
        if char in _OPEN:
            opened.append(place - (char == "<"))
        elif char in _CLOSED and opened:
            found.append((opened.pop(), place + 1))
    return found
