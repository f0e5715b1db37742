"""Values of a state as the page gets them: texts, and groups of named values.

    "r1"                                                    anything without parts
    {"kind": "record", "name": "Quorum", "parts": [["epoch", "2"], ...]}
    {"kind": "map", "parts": [["r1", ...], ...]}
    {"kind": "list", "parts": [["0", ...], ...]}

`text` is how a group is written on one line, where that is not put together from its parts.
"""

from __future__ import annotations

from typing import Any

from specmodel.domains import FreeValue, Map
from specmodel.domains.records import Record
from specmodel.domains.shapes import is_sequence, is_tuple
from specmodel.traces.changes import Change
from specmodel.traces.notation import Notation


def value_json(value: Any, notation: Notation) -> Any:
    """A value of a state, or the state itself."""
    if isinstance(value, Record):
        parts = [[name, value_json(held, notation)] for name, held in vars(value).items()]
        group: dict[str, Any] = {"kind": "record", "name": type(value).__name__, "parts": parts}
        if value.__domain__.cls in notation.cells:
            group["text"] = notation.value(value)
        return group
    if isinstance(value, Map):
        pairs = [[notation.value(k), value_json(held, notation)] for k, held in value.items()]
        return {"kind": "map", "parts": pairs}
    if isinstance(value, FreeValue) and value.kind:
        held = [[key, value_json(part, notation)] for key, part in value.parts().items()]
        return {"kind": value.kind, "name": "", "parts": held}
    if is_sequence(value) and not is_tuple(value):
        held = [[str(i), value_json(item, notation)] for i, item in enumerate(value)]
        return {"kind": "list", "parts": held}
    return notation.value(value)


def change_json(change: Change, notation: Notation) -> dict[str, Any]:
    """A changed leaf: its place, what kind of change it is, and the values in words."""
    write = notation.value
    before, after = change.before, change.after
    found: dict[str, Any] = {"place": change.path, "kind": change.kind}
    if change.kind == "members":
        found["gained"] = [write(v) for v in change.gained]
        found["lost"] = [write(v) for v in change.lost]
    elif change.kind == "appended":
        found["gained"] = [write(v) for v in after[len(before) :]]
    elif change.kind == "truncated":
        found["lost"] = [write(v) for v in before[len(after) :]]
        found["kept"] = len(after)
    return {**found, "before": write(before), "after": write(after)}
