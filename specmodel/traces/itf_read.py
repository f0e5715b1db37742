"""Reads ITF files, those of other tools included."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from specmodel.constants import MOST_DIGITS, Value
from specmodel.dataclass import dataclass
from specmodel.domains import StructDomain
from specmodel.errors import UsageError, shown
from specmodel.files import parsed_json, read_text
from specmodel.traces.itf_values import decode

MOST_STATES = 100_000
"""The greatest number of states of a trace: a replay of that many takes some seconds."""


@dataclass(frozen=True)
class ItfFile:
    """An ITF file before its states are read as those of a design.

    `design`, `source`, `property` and `engine` are empty, and `constants` are too, if the file does
    not say. `actions` are the actions that led to each state, as text; the first is always empty.
    """

    path: Path
    states: tuple[Mapping[str, Any], ...]
    actions: tuple[str, ...]
    loop: int | None
    design: str
    source: str
    property: str
    engine: str
    constants: Mapping[str, Value]


def read_itf(path: Path) -> ItfFile:
    """Reads an ITF file.

    Raises UsageError if it is unreadable, is not ITF, or contradicts itself.
    """
    found = _object(parsed_json(read_text(path), str(path)), f"{path} is no ITF file: it holds")
    states = _list(found.get("states"), f'{path} is no ITF file: "states" is')
    if not states:
        raise UsageError(f"{path} has no states")
    if len(states) > MOST_STATES:
        raise UsageError(f"{path} has {len(states):,} states; a trace has {MOST_STATES:,} at most")
    held = [_object(s, f"{path}: state {i} is") for i, s in enumerate(states, 1)]
    names = [str(n) for n in _list(found.get("vars", []), f'{path}: "vars" is')]
    for index, state in enumerate(held, start=1):
        for name in names:
            if name not in state:
                raise UsageError(f"{path}: state {index} has no value for {name}")
    about = [_meta(state) for state in held]
    meta = _meta(found)
    return ItfFile(
        path=path,
        states=tuple(held),
        actions=("", *(_string(a, "action") for a in about[1:])),
        loop=_loop(path, found.get("loop"), len(held)),
        design=_string(meta, "design"),
        source=_string(meta, "source"),
        property=_string(meta, "property"),
        engine=_string(meta, "engine"),
        constants=_constants(path, meta.get("constants")),
    )


@contextmanager
def about(path: Path) -> Generator[None]:
    """Names a trace's file in error messages."""
    try:
        yield
    except UsageError as wrong:
        if type(wrong) is not UsageError or shown(str(path)) in str(wrong):
            raise
        raise UsageError(f"{path}: {wrong}") from None


def states_of(file: ItfFile, domain: StructDomain) -> tuple[Any, ...]:
    """The file's states as those of a design. Raises UsageError for a state that does not fit."""
    found: list[Any] = []
    for index, state in enumerate(file.states, start=1):
        values: list[Any] = []
        for name, kind in domain.fields.items():
            if name not in state:
                foreign = ", ".join(k for k in state if not k.startswith("#")) or "nothing"
                raise UsageError(
                    f"{file.path}: state {index} has no variable {name} (it has {foreign}):"
                    " is this a trace of another design?"
                )
            values.append(decode(kind, state[name], f"{file.path}: state {index}: {name}"))
        found.append(domain.build(values))
    return tuple(found)


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{what} {_kind(value)}, not an object")
    return cast(dict[str, Any], value)


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise UsageError(f"{what} {_kind(value)}, not a list")
    return cast(list[Any], value)


def _kind(value: Any) -> str:
    for kind, name in ((dict, "an object"), (list, "a list"), (str, "a text")):
        if isinstance(value, kind):
            return name
    return "missing or null" if value is None else "a number or truth value"


def _meta(value: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = value.get("#meta")
    return cast(dict[str, Any], meta) if isinstance(meta, dict) else {}


def _string(meta: Mapping[str, Any], name: str) -> str:
    value = meta.get(name, "")
    return value if isinstance(value, str) else ""


def _loop(path: Path, loop: Any, states: int) -> int | None:
    if loop is None:
        return None
    if isinstance(loop, bool) or not isinstance(loop, int) or not 0 <= loop < states:
        raise UsageError(f'{path}: "loop" is {loop!r}, not the index of one of the {states} states')
    return loop


def _constants(path: Path, text: Any) -> dict[str, Value]:
    if text is None:
        return {}
    try:
        held = parsed_json(text, "") if isinstance(text, str) else text
    except UsageError:
        held = None
    if not isinstance(held, dict):
        raise UsageError(f'{path}: "constants" in #meta is no JSON object')
    values = cast(dict[str, Any], held)
    for name, value in values.items():
        if not isinstance(value, int) or abs(value) >= 10**MOST_DIGITS:
            raise UsageError(
                f"{path}: constant {name} is {json.dumps(value)}, neither a switch nor an integer"
                f" of at most {MOST_DIGITS} digits"
            )
    return values
