"""Replaces single values in a YAML text and keeps the rest, comments included."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import yaml

from specmodel.errors import UsageError


def with_value(text: str, where: Sequence[str], value: Any) -> str:
    """The text with `value` at the keys `where`; the key of a list item is its number.

    Missing keys are added at the end of their mapping. Raises UsageError for a form that is not
    supported: no mapping, or an alias.
    """
    root: Any = cast(Any, yaml).compose(text, Loader=yaml.SafeLoader)
    node, key = root, None
    for depth, name in enumerate(where):
        entry = _entry(node, name)
        if entry is None:
            return _added(text, node, name, _nested(where[depth + 1 :], value))
        key, node = entry
    if key is None:
        raise UsageError("the text as a whole has no key")
    if node.start_mark.index < key.end_mark.index:
        raise UsageError(f'"{where[-1]}" is an alias: change what it stands for by hand')
    colon = text.index(":", key.end_mark.index)
    return f"{text[: colon + 1]} {flow(value)}{text[_end(node) :]}"


def flow(value: Any) -> str:
    """A value on one line: `{verdict: violated, trace_length: 13}`."""
    if isinstance(value, Mapping):
        held = cast(Mapping[str, Any], value)
        return f"{{{', '.join(f'{name}: {flow(part)}' for name, part in held.items())}}}"
    if isinstance(value, str) and value.replace("_", "").replace("-", "").isalpha():
        return value
    return json.dumps(value)


def _nested(names: Sequence[str], value: Any) -> Any:
    """The value below some keys."""
    for name in reversed(names):
        value = {name: value}
    return value


def _entry(node: Any, name: str) -> tuple[Any, Any] | None:
    """The key and the value of an entry; a list item is its own key."""
    if isinstance(node, yaml.SequenceNode):
        item = node.value[int(name)]
        return item, item
    if not isinstance(node, yaml.MappingNode):
        raise UsageError(f'"{name}" cannot be written: what it belongs in is no mapping')
    for key, value in node.value:
        if key.value.replace("-", "_") == name.replace("-", "_"):
            return key, value
    return None


def _added(text: str, node: Any, name: str, value: Any) -> str:
    if not isinstance(node, yaml.MappingNode):
        raise UsageError(f'"{name}" cannot be written: what it belongs in is no mapping')
    entries: Any = node.value
    if not entries:
        at = node.start_mark.index
        return f"{text[:at]}{{{name}: {flow(value)}}}{text[node.end_mark.index :]}"
    at = _end(entries[-1][1])
    if node.flow_style:
        return f"{text[:at]}, {name}: {flow(value)}{text[at:]}"
    indent = " " * entries[0][0].start_mark.column
    line = text.find("\n", at)
    line = len(text) if line < 0 else line
    return f"{text[:line]}\n{indent}{name}: {flow(value)}{text[line:]}"


def _end(node: Any) -> int:
    """The end of a node's text; the parser counts lines up to the next as part of a block."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        return int(node.end_mark.index)
    if isinstance(node, yaml.MappingNode):
        return _end(node.value[-1][1])
    return _end(node.value[-1])
