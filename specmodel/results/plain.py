"""Results as JSON: the conversion of dataclasses to plain JSON values, and to text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

VERSION = 1
"""The `version` of every JSON object that a command writes.

It increases when a key is removed or changes its meaning. New keys may appear without an increase.
"""

Keys = Mapping[type, str | Callable[[Any], Any]]
"""How objects become JSON, by their type: the names of their keys, or a function.

In names, `key` is the attribute with that name, `key=a.b` another one (null if `a` is None), and
`key?` null if the attribute is empty.
"""

DIGITS = 6
"""Decimal places of a key whose name ends in `seconds`."""


def plain(value: Any, keys: Keys | None = None) -> Any:
    """The value in JSON. A dataclass that is not among the keys is written by its fields."""
    how = keys.get(value.__class__) if keys else None
    if how is not None:
        return members(value, how, keys) if isinstance(how, str) else how(value)
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name), keys) for field in fields(value)}
    if isinstance(value, Mapping):
        held = cast(Mapping[Any, Any], value)
        return {key: plain(item, keys) for key, item in held.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item, keys) for item in cast(Sequence[Any], value)]
    return str(value) if isinstance(value, Path) else value


def members(value: Any, names: str, keys: Keys | None = None) -> dict[str, Any]:
    """Attributes of an object as a JSON object, in the order of the names (see `Keys`)."""
    found: dict[str, Any] = {}
    for name in names.split():
        key, _, path = name.removesuffix("?").partition("=")
        held = _attribute(value, path or key)
        if key.endswith("seconds"):
            held = round(held, DIGITS)
        found[key] = plain((held or None) if name.endswith("?") else held, keys)
    return found


def json_text(content: Mapping[str, Any], *, ascii_only: bool = True) -> str:
    """A JSON object with its version as text, without a final line end."""
    return json.dumps({"version": VERSION, **content}, indent=2, ensure_ascii=ascii_only)


def _attribute(value: Any, path: str) -> Any:
    before, _, last = path.rpartition(".")
    owner = attrgetter(before)(value) if before else value
    return None if owner is None else getattr(owner, last)
