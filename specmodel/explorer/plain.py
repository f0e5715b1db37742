"""A trace shown without its design: any ITF file, as far as it can be understood.

Nothing is known of such values but what the file says, so nothing is assumed: a variable may be
missing from a state, and anything may be in place of anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import MOST_AT_ONCE, VERSION
from specmodel.views.itf.read import ItfFile

DEEPEST = 60
"""Values nested deeper than this are cut off: nobody reads them, and some reader might break."""

MOST_CHANGES = 500
"""Of more changed places at one step only so many are listed."""

_ABSENT = object()


class PlainReading:
    """What can be read of a trace when its design is not known. `notice` says why."""

    def __init__(self, recorded: ItfFile, notice: str) -> None:
        self.recorded = recorded
        self.notice = notice

    @property
    def start(self) -> Branch:
        """The whole trace, which is the one behaviour there is."""
        return Branch("t", len(self.recorded.states))

    def about(self) -> dict[str, Any]:
        """What is shown; the keys are those of `Reading.about`."""
        recorded = self.recorded
        return {
            "version": VERSION,
            "design": recorded.design or recorded.path.name,
            "question": "",
            "source": "",
            "constants": [
                {"name": name, "value": str(value).lower(), "doc": ""}
                for name, value in recorded.constants.items()
            ],
            "actors": [],
            "actions": [{"name": n, "kind": n, "summary": ""} for n in self._actions()],
            "properties": [],
            "trace": recorded.path.name,
            "violates": recorded.property,
            "lasso": None,
            "notice": self.notice,
            "start": str(self.start),
        }

    def spine(self, branch: Branch, first: int, count: int) -> dict[str, Any]:
        """The steps to some states, from number `first`."""
        begin, end = self._range(branch, first, count)
        return {
            "branch": str(branch),
            "length": branch.length,
            "loop": self.recorded.loop if branch == self.start else None,
            "first": begin + 1,
            "steps": [self._step(i) for i in range(begin, end)],
        }

    def frames(self, branch: Branch, first: int, count: int) -> list[dict[str, Any]]:
        """Some states in full, from number `first`, with what changed on the way to each."""
        begin, end = self._range(branch, first, count)
        return [self._frame(i) for i in range(begin, end)]

    def why(self, branch: Branch, number: int, name: str = "") -> dict[str, Any]:
        """Nothing: without the design there are no properties."""
        self._range(branch, number, 1)
        return {"failure": "", "properties": [], "written": {}}

    def _range(self, branch: Branch, first: int, count: int) -> tuple[int, int]:
        states = len(self.recorded.states)
        if branch.kind != "t" or branch.choices or not 1 <= branch.number <= states:
            raise UsageError(f"without its design there is only the trace of {states} states")
        begin = max(1, first) - 1
        return begin, max(begin, min(branch.length, begin + min(count, MOST_AT_ONCE)))

    def _actions(self) -> list[str]:
        return list(dict.fromkeys(a.partition("(")[0] for a in self.recorded.actions[1:] if a))

    def _step(self, index: int) -> dict[str, Any]:
        label = self.recorded.actions[index]
        found: dict[str, Any] = {"number": index + 1, "label": label, "truths": ""}
        if index:
            found |= {"action": label.partition("(")[0], "named": [], "changed": []}
        return found

    def _frame(self, index: int) -> dict[str, Any]:
        state = _variables(self.recorded.states[index])
        found: list[dict[str, Any]] = []
        if index:
            before = _variables(self.recorded.states[index - 1])
            for change in _changes(_tree(before), _tree(state), ""):
                found.append(change)
                if len(found) == MOST_CHANGES:
                    break
        return {"number": index + 1, "state": _tree(state), "changes": found}


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
    """Whether two values are groups of one kind, to be compared part by part."""
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
