"""A behaviour without the classes of its design, so that it can be compared with another design.

Each load of a spec makes its own classes, and rival designs name their actions differently. Two
designs can share values as they are in a trace file, and the kinds of actions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.behaviour.replay import Replay
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.model.model import Model
from specmodel.results import Step, Trace
from specmodel.traces.itf_read import ItfFile, states_of
from specmodel.traces.itf_values import decode, encode
from specmodel.traces.notation import Notation


@dataclass(frozen=True)
class RecordedMove:
    """A step of a recording: its kind, the action that made it, its arguments as text by name."""

    kind: str
    action: str
    arguments: Mapping[str, str]

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={text}" for name, text in self.arguments.items())
        return f"{self.action}({inner})"


@dataclass(frozen=True)
class Recording:
    """States, their values as ITF expressions by variable, and the moves between them.

    `design` is the design of the behaviour, `property` the one that it violates (or meets), `kinds`
    are all kinds of action of that design. They are empty if they are not known.
    """

    design: str
    property: str
    states: tuple[Mapping[str, Any], ...]
    moves: tuple[RecordedMove, ...]
    kinds: frozenset[str]


def recording_of(design: Design, trace: Trace, property_name: str = "") -> Recording:
    """The recording of a trace."""
    fields = design.spec.domain.fields
    states = [
        {name: encode(domain, vars(state)[name]) for name, domain in fields.items()}
        for state in trace.states
    ]
    kinds = kinds_of(design.spec)
    moves = tuple(move_of(kinds, step) for step in trace.steps)
    every = frozenset(kinds.values())
    return Recording(design.name, property_name, tuple(states), moves, every)


def recording_of_file(file: ItfFile, design: Design) -> Recording:
    """The recording in a file, as one of a design; steps without a name are searched for.

    Raises UsageError if that fails, or a name is unknown.
    """
    if not all(file.actions[1:]):
        found = Replay(design, states_of(file, design.spec.domain), file.actions).trace()
        return recording_of(design, found, file.property)
    kinds = kinds_of(design.spec)
    moves: list[RecordedMove] = []
    for number, text in enumerate(file.actions[1:], start=2):
        try:
            action, arguments = call_of(text)
        except UsageError as wrong:
            raise UsageError(f"{file.path}: state {number}: {wrong}") from None
        moves.append(RecordedMove(kinds.get(action, action), action, _named(arguments, text)))
    every = frozenset(kinds.values())
    return Recording(design.name, file.property, file.states, tuple(moves), every)


def kinds_of(spec: Model) -> dict[str, str]:
    """The kind of each action."""
    return {rule.name: spec.kind_of(rule) for rule in spec.rules}


def move_of(kinds: Mapping[str, str], step: Step) -> RecordedMove:
    """A step as a move."""
    write = Notation().value
    arguments = {name: write(held) for name, held in step.arguments.items()}
    return RecordedMove(kinds[step.action], step.action, arguments)


def values_of(state: Mapping[str, Any], spec: Model, where: str) -> dict[str, Any]:
    """The variables of a recorded state that a spec has too, as values of the spec.

    Raises UsageError, naming `where`, if there are none or one has another domain in the spec.
    """
    found = {
        name: decode(domain, state[name], f"{where}: {name}")
        for name, domain in spec.domain.fields.items()
        if name in state
    }
    if not found:
        names = ", ".join(name for name in state if not name.startswith("#"))
        raise UsageError(f"{where}: its variables are {names}, and none of them is here")
    return found


def call_of(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The name in `fetch(follower=r2, leader=r1)` and the arguments, each with its name or "".

    Raises UsageError for anything else.
    """
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if match is None:
        raise UsageError(f'"{text}" is no action: write fetch, or fetch(follower=r2, leader=r1)')
    found: list[tuple[str, str]] = []
    for part in _split(match[2] or ""):
        name, equals, value = part.partition("=")
        found.append((name.strip(), value.strip()) if equals else ("", part.strip()))
    return match[1], tuple(found)


def _named(arguments: Sequence[tuple[str, str]], text: str) -> dict[str, str]:
    if not all(name for name, _ in arguments):
        raise UsageError(f'the arguments of "{text}" have no names')
    return dict(arguments)


def _split(text: str) -> list[str]:
    """The parts between commas that are not within brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]
