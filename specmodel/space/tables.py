"""The tables of a space, by name: what queries are put to, and Arrow and Spark give alike.

    states       id, depth, parent, action, binding, and a column for each field of the state
    transitions  source, target, depth, action, binding
    actions      binding, action, arguments, fired, found
    violations   property, state, depth, action, binding

Depth counts states, from 1, as everywhere: that of a transition is its source's. A state's parent,
action and binding say how it was found first, and are null for an initial state, as is the target
of a step out of the constraints. `fired` is how many transitions are by a binding, `found` how many
states it was the first to lead to; null where there are no transitions, or no parents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.errors import UsageError, suggestion
from specmodel.space.arrow import arrow
from specmodel.space.columns import decoded
from specmodel.space.files import NONE, STATES, TRANSITIONS, VIOLATIONS
from specmodel.space.manifest import Manifest
from specmodel.space.run import Space

TABLES = ("states", "transitions", "actions", "violations")

OWN = ("id", "depth", "parent", "action", "binding")
"""Columns of `states` that are no field. A field of one of these names has `_` behind its own."""


def field_columns(manifest: Manifest) -> dict[str, str]:
    """The column of each field of the state."""
    names = manifest.layout.domain.fields
    return {name: f"{name}_" if name.lower() in OWN else name for name in names}


def table(space: Space, name: str) -> Any:
    """A table as a `pyarrow.Table`. Raises UsageError for an unknown one, DamagedRun."""
    if name not in TABLES:
        raise UsageError(f'no table is called "{name}"{suggestion(name, TABLES)}')
    if name == "actions":
        return _actions(space)
    if name == "transitions":
        space.need_transitions()
    make = {"states": _states, "transitions": _transitions, "violations": _violations}[name]
    parts = list(make(space))
    return arrow().concat_tables(parts) if parts else _empty(space, name)


def _states(space: Space) -> Iterator[Any]:
    manifest, columns = space.manifest, field_columns(space.manifest)
    for level, held in space.batches(STATES):
        rows = len(held["id"])
        absent = np.full(rows, NONE, np.int32)
        bindings = held.get("binding", absent)
        fields = decoded(manifest.layout, [held[f"w{word}"] for word in range(manifest.words)])
        yield arrow().table(
            {
                "id": held["id"],
                "depth": np.full(rows, level + 1, np.int32),
                "parent": _or_null(held.get("parent", absent.astype(np.int64))),
                "action": _names([b.action for b in manifest.bindings], bindings),
                "binding": _or_null(bindings),
                **{columns[name]: column for name, column in fields.items()},
            }
        )


def _transitions(space: Space) -> Iterator[Any]:
    actions = [binding.action for binding in space.manifest.bindings]
    for level, held in space.batches(TRANSITIONS):
        yield arrow().table(
            {
                "source": held["source"],
                "target": _or_null(held["target"]),
                "depth": np.full(len(held["source"]), level + 1, np.int32),
                "action": _names(actions, held["binding"]),
                "binding": held["binding"],
            }
        )


def _violations(space: Space) -> Iterator[Any]:
    actions = [binding.action for binding in space.manifest.bindings]
    properties = [found.name for found in space.manifest.properties]
    for level, held in space.batches(VIOLATIONS):
        yield arrow().table(
            {
                "property": _names(properties, held["property"]),
                "state": held["state"],
                "depth": np.full(len(held["state"]), level + 1, np.int32),
                "action": _names(actions, held["binding"]),
                "binding": _or_null(held["binding"]),
            }
        )


def _actions(space: Space) -> Any:
    manifest = space.manifest
    count = len(manifest.bindings)
    fired, found = np.zeros(count, np.int64), np.zeros(count, np.int64)
    if manifest.transitions:
        for _, held in space.batches(TRANSITIONS, ["binding"]):
            fired += np.bincount(held["binding"], minlength=count)
    if manifest.parents:
        for _, held in space.batches(STATES, ["binding"]):
            some = held["binding"]
            found += np.bincount(some[some >= 0], minlength=count)
    text = arrow().string()
    arguments = [[(k, str(v)) for k, v in b.arguments.items()] for b in manifest.bindings]
    return arrow().table(
        {
            "binding": np.arange(count, dtype=np.int32),
            "action": arrow().array([b.action for b in manifest.bindings], text),
            "arguments": arrow().array(arguments, arrow().map_(text, text)),
            "fired": fired if manifest.transitions else arrow().nulls(count, arrow().int64()),
            "found": found if manifest.parents else arrow().nulls(count, arrow().int64()),
        }
    )


def _empty(space: Space, name: str) -> Any:
    """A table without rows; every space has states."""
    numbers, text, short = arrow().int64(), arrow().string(), arrow().int32()
    first = {"transitions": ("source", "target"), "violations": ("property", "state")}[name]
    kinds = {"source": numbers, "target": numbers, "state": numbers, "depth": short}
    kinds |= {"property": text, "action": text, "binding": short}
    names = [*first, "depth", "action", "binding"]
    return arrow().schema([(column, kinds[column]) for column in names]).empty_table()


def _names(names: list[str], places: NDArray[np.int32]) -> Any:
    """Names by place, null for none."""
    chosen = arrow().array(np.maximum(places, 0), mask=places < 0)
    return arrow().array(names or [""], arrow().string()).take(chosen)


def _or_null(column: NDArray[Any]) -> Any:
    return arrow().array(column, mask=column < 0)
