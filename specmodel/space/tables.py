"""The tables of a space, by name: those of queries, the same in Arrow and in Spark.

    states       id, depth, parent, action, binding, and a column for each field of the state
    transitions  source, target, depth, action, binding
    actions      binding, action, arguments, fired, found
    violations   property, state, depth, action, binding

Depth counts states, from 1; the depth of a transition is that of its source. A state's parent,
action and binding say how it was found first, and are null for an initial state. The target of a
step out of the constraints is null. `fired` is the number of transitions by a binding, `found` the
number of states that it found first; null without transitions, or without parents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.errors import UsageError, suggestion
from specmodel.space.arrow import arrow
from specmodel.space.columns import decoded
from specmodel.space.files import NONE, STATES, TRANSITIONS, VIOLATIONS
from specmodel.space.manifest import Binding, Manifest
from specmodel.space.run import SavedSpace

ACTIONS = "actions"

TABLES = (STATES, TRANSITIONS, ACTIONS, VIOLATIONS)

COLUMNS: Mapping[str, Sequence[str]] = {
    STATES: ("id", "depth", "parent?", "action", "binding?"),
    TRANSITIONS: ("source", "target?", "depth", "action", "binding"),
    VIOLATIONS: ("property", "state", "depth", "action", "binding?"),
}
"""The columns of tables by the stored columns. Columns with ? are null for NONE.

`action` is the name of the binding's action, `property` the name of a number, and `depth` the
level, counted from 1.
"""


def field_columns(manifest: Manifest) -> dict[str, str]:
    """The column of each field of the state.

    If a field has the name of another column of `states`, its column has `_` at the end.
    """
    own = [column.rstrip("?") for column in COLUMNS[STATES]]
    names = manifest.layout.domain.fields
    return {name: f"{name}_" if name.lower() in own else name for name in names}


def refuse_unknown(space: SavedSpace, name: str) -> None:
    """Raises UsageError for a table that no space has, or that this space does not have."""
    if name not in TABLES:
        raise UsageError(f'no table is called "{name}"{suggestion(name, TABLES)}')
    if name == TRANSITIONS:
        space.need_transitions()


def table(space: SavedSpace, name: str) -> Any:
    """A table as a `pyarrow.Table`. Raises UsageError for an unknown one, DamagedRun."""
    refuse_unknown(space, name)
    if name == ACTIONS:
        return _actions(space)
    parts = [_rows(space.manifest, name, *some) for some in space.batches(name)]
    return arrow().concat_tables(parts) if parts else empty(space.manifest, name)


def empty(manifest: Manifest, name: str) -> Any:
    """A table of states, transitions or violations without rows, as a `pyarrow.Table`."""
    columns = stored_columns(manifest, name)
    return _rows(manifest, name, 0, {column: np.empty(0, np.int64) for column in columns})


def stored_columns(manifest: Manifest, name: str) -> list[str]:
    """The columns of the files of states (with parents), transitions or violations."""
    words = [f"w{word}" for word in range(manifest.words)] if name == STATES else []
    columns = [column.rstrip("?") for column in COLUMNS[name]]
    return [*words, *(column for column in columns if column not in ("depth", "action"))]


def names_of(manifest: Manifest) -> dict[str, tuple[str, list[str]]]:
    """The columns of names: the stored column with the number of the name, and the names."""
    return {
        "action": ("binding", [binding.action for binding in manifest.bindings]),
        "property": ("property", [found.name for found in manifest.properties]),
    }


def bindings_table(bindings: Sequence[Binding]) -> dict[str, Any]:
    """Bindings as columns: their numbers, actions and arguments."""
    text = arrow().string()
    arguments = [[(k, str(v)) for k, v in b.arguments.items()] for b in bindings]
    return {
        "binding": np.arange(len(bindings), dtype=np.int32),
        "action": arrow().array([b.action for b in bindings], text),
        "arguments": arrow().array(arguments, arrow().map_(text, text)),
    }


def _rows(manifest: Manifest, name: str, level: int, stored: Mapping[str, NDArray[Any]]) -> Any:
    """Rows of a level as a table, from the stored columns."""
    rows, names = len(next(iter(stored.values()))), names_of(manifest)
    none: NDArray[Any] = np.full(rows, NONE)  # states of a run on Spark have no parents
    held: dict[str, NDArray[Any]] = {"parent": none, "binding": none, **stored}
    columns: dict[str, Any] = {}
    for column in COLUMNS[name]:
        kept = column.rstrip("?")
        if kept == "depth":
            columns[kept] = np.full(rows, level + 1, np.int32)
        elif kept in names:
            place, texts = names[kept]
            columns[kept] = _named(texts, held[place])
        else:
            kind = np.int32 if kept == "binding" else np.int64
            missing = held[kept] < 0 if column != kept else None
            columns[kept] = arrow().array(held[kept].astype(kind, copy=False), mask=missing)
    if name == STATES:
        fields = decoded(manifest.layout, [held[f"w{word}"] for word in range(manifest.words)])
        columns |= {shown: fields[field] for field, shown in field_columns(manifest).items()}
    return arrow().table(columns)


def _actions(space: SavedSpace) -> Any:
    manifest = space.manifest
    return arrow().table(
        {
            **bindings_table(manifest.bindings),
            "fired": _counted(space, TRANSITIONS, manifest.transitions),
            "found": _counted(space, STATES, manifest.parents),
        }
    )


def _counted(space: SavedSpace, kind: str, there: bool) -> Any:
    """The number of rows of each binding; nulls if it is not known."""
    count = len(space.manifest.bindings)
    if not there:
        return arrow().nulls(count, arrow().int64())
    counts = np.zeros(count, np.int64)
    for _, held in space.batches(kind, ["binding"]):
        some = held["binding"]
        counts += np.bincount(some[some >= 0], minlength=count)
    return counts


def _named(names: Sequence[str], places: NDArray[Any]) -> Any:
    """Names by place, null for none."""
    chosen = arrow().array(np.maximum(places, 0), mask=places < 0)
    return arrow().array(names or [""], arrow().string()).take(chosen)
