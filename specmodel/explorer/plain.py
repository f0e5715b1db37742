"""A trace shown without its design: any ITF file, as far as it can be understood.

Only the file describes its values, so nothing is assumed: a variable may be missing from a state,
and any value may be in the place of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from specmodel.errors import UsageError
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.branch import Branch
from specmodel.traces.itf_read import ItfFile

DEEPEST = 60
"""Values nested deeper than this are cut off: nobody reads them, and some programs would fail."""

MOST_CHANGES = 500
"""The greatest number of changed places listed for one step."""

_ABSENT = object()


class PlainReading(Behaviours):
    """The reading of a trace whose design is not known. `notice` says why."""

    def __init__(self, recorded: ItfFile, notice: str) -> None:
        super().__init__(recorded)
        self.trace = recorded
        self.notice = notice

    def _about(self) -> dict[str, Any]:
        trace = self.trace
        actions = dict.fromkeys(a.partition("(")[0] for a in trace.actions[1:] if a)
        return {
            **super()._about(),
            "design": trace.design or trace.path.name,
            "constants": [
                {"name": name, "value": str(value).lower(), "doc": ""}
                for name, value in trace.constants.items()
            ],
            "actions": [{"name": n, "kind": n, "summary": ""} for n in actions],
            "notice": self.notice,
        }

    def _states(self, branch: Branch, upto: int) -> Sequence[Any]:
        states = len(self.trace.states)
        if branch.kind != "t" or branch.choices or not 1 <= branch.number <= states:
            raise UsageError(f"without its design there is only the trace of {states} states")
        return self.trace.states[:upto]

    def _step(self, states: Sequence[Any], index: int) -> dict[str, Any]:
        label = self.trace.actions[index]
        found: dict[str, Any] = {"number": index + 1, "label": label, "truths": ""}
        if index:
            found |= {"action": label.partition("(")[0], "named": [], "changed": []}
        return found

    def _variables(self, state: Any) -> Mapping[str, Any]:
        return _variables(state)

    def _frame(self, states: Sequence[Any], index: int) -> dict[str, Any]:
        before, state = (_tree(_variables(states[i])) for i in (max(0, index - 1), index))
        found = islice(_changes(before, state, ""), MOST_CHANGES)
        return {"number": index + 1, "state": state, "changes": list(found)}


def _variables(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if not name.startswith("#")}


def _tree(value: Any, depth: int = 0) -> Any:
    """An ITF expression in the form of `explorer.values`."""
    if depth > DEEPEST:
        return "..."
    if isinstance(value, dict):
        held = cast(dict[str, Any], value)
        inner = next(iter(held.values()), None) if len(held) == 1 else None
        if "#bigint" in held and isinstance(inner, str):
            return inner
        if "#map" in held and isinstance(inner, list):
            entries = cast(list[Any], inner)
            return {"kind": "map", "parts": [_entry(e, depth + 1) for e in entries]}
        for key, kind in (("#set", "set"), ("#tup", "list")):
            if key in held and isinstance(inner, list):
                return _listed(kind, cast(list[Any], inner), depth)
        parts = [[str(name), _tree(v, depth + 1)] for name, v in held.items()]
        return {"kind": "record", "name": "", "parts": parts}
    if isinstance(value, list):
        return _listed("list", cast(list[Any], value), depth)
    return value if isinstance(value, str) else str(value)


def _listed(kind: str, values: list[Any], depth: int) -> dict[str, Any]:
    return {
        "kind": kind,
        "parts": [[str(i), _tree(item, depth + 1)] for i, item in enumerate(values)],
    }


def _entry(entry: Any, depth: int) -> list[Any]:
    pair = cast(list[Any], entry) if isinstance(entry, list) else []
    if len(pair) != 2:
        return ["?", _tree(entry, depth)]
    return [_line(_tree(pair[0], depth)), _tree(pair[1], depth)]


def _line(tree: Any) -> str:
    """A value on one line."""
    if isinstance(tree, str):
        return tree
    parts = [
        _line(held) if tree["kind"] in ("list", "set") else f"{name}: {_line(held)}"
        for name, held in tree["parts"]
    ]
    opened, closed = "[]" if tree["kind"] == "list" else "{}"
    return f"{opened}{', '.join(parts)}{closed}"


def _alike(before: Any, after: Any) -> bool:
    """Whether two values are groups of one kind, which are compared part by part."""
    groups = isinstance(before, dict) and isinstance(after, dict)
    return groups and cast(Any, before)["kind"] == cast(Any, after)["kind"] != "set"


def _changes(before: Any, after: Any, place: str) -> Iterator[dict[str, Any]]:
    """The changed leaves between two values in that form."""
    if before == after:
        return
    if not _alike(before, after):
        yield {
            "place": place or "state",
            "kind": "stored",
            "before": "absent" if before is _ABSENT else _line(before),
            "after": "absent" if after is _ABSENT else _line(after),
        }
        return
    kind: str = after["kind"]
    old: dict[str, Any] = dict(before["parts"])
    new: dict[str, Any] = dict(after["parts"])
    for name in dict.fromkeys([*old, *new]):
        inner = f"{place}.{name}" if kind == "record" and place else f"{place}[{name}]"
        if kind == "record" and not place:
            inner = name
        yield from _changes(old.get(name, _ABSENT), new.get(name, _ABSENT), inner)
