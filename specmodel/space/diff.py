"""Compares two spaces: the states and steps that only one of them has.

States are equal if their values are equal, so both spaces must have the same type of states. A step
goes from a state to a state. The name of its action does not count, because rival designs name the
same action differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.domains.shapes import is_mapping
from specmodel.errors import UsageError
from specmodel.space.files import TRANSITIONS
from specmodel.space.run import Ints, SavedSpace


@dataclass(frozen=True)
class Example:
    """A shortest way to a difference: places of states, and the binding of one more step if the
    difference is that step.
    """

    path: tuple[int, ...]
    last: int | None = None


@dataclass(frozen=True)
class ActionAlone:
    """The steps and states by an action that only one space has.

    `steps`, of which `parting` start in a state that both spaces have; `found` is the number of
    states missing in the other space that the action found first. `example` is of a parting step,
    if there is one.
    """

    name: str
    steps: int
    parting: int
    found: int
    example: Example | None


@dataclass(frozen=True)
class Side:
    """The steps and states that only this space has. `example` leads to the first of the states."""

    space: SavedSpace
    states: int
    steps: int
    actions: tuple[ActionAlone, ...]
    example: Example | None


@dataclass(frozen=True)
class SpaceDifference:
    """Two spaces: their common part, and the part of each alone.

    `moved` states are at another depth.
    """

    common: int
    common_steps: int
    moved: int
    sides: tuple[Side, Side]


def difference(first: str | Path, second: str | Path, *, verify: bool = True) -> SpaceDifference:
    """The difference of two saved spaces; `verify` as in `Space`.

    Raises UsageError if one of them is not a space, has no transitions, or has states of another
    type; DamagedRun.
    """
    spaces = SavedSpace(first, verify=verify), SavedSpace(second, verify=verify)
    for space in spaces:
        space.need_transitions()
    _refuse_unlike(*spaces)
    there = _partners(*spaces)
    steps = _SpaceSteps(spaces[0]), _SpaceSteps(spaces[1])
    sides: list[Side] = []
    common = 0
    for here, other in ((0, 1), (1, 0)):
        alone = steps[here].alone(there[here], steps[other])
        common = steps[here].count - int(alone.sum())
        sides.append(_side(spaces[here], there[here], steps[here], alone))
    both = np.flatnonzero(there[0] >= 0)
    levels = spaces[0].states.level[both], spaces[1].states.level[there[0][both]]
    return SpaceDifference(
        common=len(both),
        common_steps=common,
        moved=int((levels[0] != levels[1]).sum()),
        sides=(sides[0], sides[1]),
    )


def _refuse_unlike(a: SavedSpace, b: SavedSpace) -> None:
    """Raises UsageError for spaces with different types of states."""
    apart = _apart(a.manifest.state, b.manifest.state, "")
    if apart:
        raise UsageError(
            f"{a.folder} and {b.folder} have states of different types: {apart}; save both spaces "
            "with the same constants, of designs with the same state"
        )
    if a.manifest.symmetry != b.manifest.symmetry:
        names = [", ".join(space.manifest.symmetry) or "none" for space in (a, b)]
        raise UsageError(
            f"{a.folder} is up to the names of {names[0]}, {b.folder} of {names[1]}: save both "
            "with --symmetry or both without"
        )


def _apart(a: Any, b: Any, where: str) -> str:
    """The first difference between two types of states; empty if there is none."""
    if is_mapping(a) and is_mapping(b):
        return _types_apart(a, b, where)
    return f"{where or 'the state'} is {a}, not {b}" if a != b else ""


def _types_apart(a: Mapping[str, Any], b: Mapping[str, Any], where: str) -> str:
    if a.get("type") == b.get("type") == "struct":
        fields = [{field["name"]: field["of"] for field in kinds["fields"]} for kinds in (a, b)]
        for name in dict.fromkeys([*fields[0], *fields[1]]):
            part = f"{where}.{name}" if where else name
            if name not in fields[0] or name not in fields[1]:
                return f"{part} is there in one of them only"
            apart = _apart(fields[0][name], fields[1][name], part)
            if apart:
                return apart
        return ""
    for key in dict.fromkeys([*a, *b]):
        if key not in ("name", "symmetric"):
            part = where if key in ("of", "key") else f"{key} of {where}"
            apart = _apart(a.get(key), b.get(key), part)
            if apart:
                return apart
    return ""


def _partners(a: SavedSpace, b: SavedSpace) -> tuple[Ints, Ints]:
    """For each state of either space, the place of the same in the other; -1 if it has none."""
    size = a.states.size
    words = [np.concatenate(pair) for pair in zip(a.states.words, b.states.words, strict=True)]
    order = np.lexsort(words[::-1])
    same = np.ones(max(0, len(order) - 1), np.bool_)
    for word in words:
        same &= word[order[:-1]] == word[order[1:]]
    # The sort is stable, so of two equal states the first is of the first space.
    mine, others = order[:-1][same], order[1:][same] - size
    there, back = np.full(size, -1, np.int64), np.full(b.states.size, -1, np.int64)
    there[mine], back[others] = others, mine
    return there, back


class _SpaceSteps:
    """The steps of a space, all in memory, each pair of states and binding once."""

    def __init__(self, space: SavedSpace) -> None:
        held = space.columns(TRANSITIONS, ("source", "target", "binding"))
        self.sources = space.states.places(held[0])
        self.targets = space.states.places(held[1])
        self.bindings: NDArray[np.int32] = held[2]
        self.size = space.size
        self.count = len(self.sources)

    @property
    def keys(self) -> Ints:
        """A number for each pair of states, in order."""
        return np.sort(self.sources * (self.size + 1) + self.targets + 1)

    def alone(self, there: Ints, other: _SpaceSteps) -> NDArray[np.bool_]:
        """The steps that the other space does not have; `there` are the places of this space's
        states in the other.
        """
        sources = there[self.sources]
        inside = self.targets >= 0
        targets = np.where(inside, there[np.maximum(self.targets, 0)], -1)
        known = (sources >= 0) & ((targets >= 0) | ~inside)
        keys, others = sources * (other.size + 1) + targets + 1, other.keys
        if not len(others):
            return np.ones(self.count, np.bool_)
        at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
        return ~(known & (others[at] == keys))


def _side(space: SavedSpace, there: Ints, steps: _SpaceSteps, alone: NDArray[np.bool_]) -> Side:
    only = np.flatnonzero(there < 0)
    example = Example(tuple(space.states.path(_first(space, only)))) if len(only) else None
    return Side(
        space,
        states=len(only),
        steps=int(alone.sum()),
        actions=tuple(_actions(space, there, steps, alone)),
        example=example,
    )


def _actions(
    space: SavedSpace, there: Ints, steps: _SpaceSteps, alone: NDArray[np.bool_]
) -> Iterator[ActionAlone]:
    """The difference by action, for each action that has one, most steps first."""
    states, counts = space.states, space.found(there < 0)
    kinds: list[ActionAlone] = []
    for number, name in enumerate(space.manifest.actions):
        mine = np.flatnonzero(alone & (space.action_of[steps.bindings] == number))
        parting = mine[there[steps.sources[mine]] >= 0]
        example = None
        if len(parting):
            first = _first(space, steps.sources[parting])
            step = parting[steps.sources[parting] == first][0]
            example = Example(tuple(states.path(first)), int(steps.bindings[step]))
        if len(mine):
            kinds.append(ActionAlone(name, len(mine), len(parting), int(counts[number]), example))
    yield from sorted(kinds, key=lambda action: -action.steps)


def _first(space: SavedSpace, places: Ints) -> int:
    """The first of some states: the least deep, then the least by place."""
    levels = space.states.level[places]
    return int(places[levels == levels.min()].min())
