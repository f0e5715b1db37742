"""Statistics of a saved space: levels, actions, variables, and the ways to violations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specmodel.constants import Value
from specmodel.ir.variables import variables_of
from specmodel.space.files import VIOLATIONS
from specmodel.space.run import Ints, SavedSpace, States

Flags = NDArray[np.uint64]

BITS = 64


@dataclass(frozen=True)
class LevelStatistics:
    """The states at a depth, and the steps out of them; None if the steps are not saved."""

    states: int
    generated: int | None


@dataclass(frozen=True)
class ActionStatistics:
    """An action: how often it fires, and how many states it found first.

    None stands for figures that are not saved: no verdicts yet, no parents of states.
    """

    name: str
    fired: int | None
    found: int | None


@dataclass(frozen=True)
class VariableStatistics:
    """A part of the state: the number of its values, and the number of distinct states without it.

    A part that lies in several words is counted by 64 bits of a hash: for ten million states, one
    count in 300,000 is too low by one.
    """

    name: str
    nested: bool
    bits: int
    values: int
    without: int


@dataclass(frozen=True)
class BeforeStatistics:
    """An action on the way to violations of a property.

    `last` is the share of the ways that end with it, `on` that of those that have it at all, and
    `elsewhere` that of the ways to all states.
    """

    action: str
    last: float
    on: float
    elsewhere: float


@dataclass(frozen=True)
class BrokenStatistics:
    """A violated property: the number of states that violate it, and the least depth.

    `entries` are those found from a state that does not violate it; `before` are the actions on the
    shortest ways to the entries, most significant first. Both are empty if states have no parents.
    """

    name: str
    states: int
    depth: int
    entries: int
    before: tuple[BeforeStatistics, ...]


@dataclass(frozen=True)
class Statistics:
    """The figures of `specmodel stats`.

    `degrees` are the numbers of states by their number of steps.

    `transitions` and `degrees` are None if steps are not saved. Levels whose steps are not known do
    not count for `degrees`.
    """

    design: str
    constants: Mapping[str, Value]
    engine: str
    symmetry: tuple[str, ...]
    complete: bool
    states: int
    transitions: int | None
    levels: tuple[LevelStatistics, ...]
    degrees: Mapping[int, int] | None
    actions: tuple[ActionStatistics, ...]
    variables: tuple[VariableStatistics, ...]
    broken: tuple[BrokenStatistics, ...]


def statistics(space: SavedSpace) -> Statistics:
    """The statistics of a space. Raises DamagedRun."""
    manifest = space.manifest
    saved = manifest.transitions
    return Statistics(
        design=manifest.design,
        constants=manifest.constants,
        engine=manifest.engine,
        symmetry=manifest.symmetry,
        complete=space.complete,
        states=space.size,
        transitions=sum(level["generated"] for level in space.levels) if saved else None,
        levels=tuple(
            LevelStatistics(level["states"], level["generated"] if saved else None)
            for level in space.levels
        ),
        degrees=_degrees(space) if saved else None,
        actions=tuple(_actions(space)),
        variables=tuple(_variables(space)),
        broken=tuple(_broken(space)),
    )


def _degrees(space: SavedSpace) -> dict[int, int]:
    degrees = np.zeros(space.size, np.int64)
    for _, sources, _, _ in space.steps():
        degrees += np.bincount(sources, minlength=space.size)
    expanded = np.array([level.get("expanded", True) for level in space.levels])
    found, counts = np.unique(degrees[expanded[space.states.level]], return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _actions(space: SavedSpace) -> Iterator[ActionStatistics]:
    for name, found in zip(space.manifest.actions, space.found().tolist(), strict=True):
        yield ActionStatistics(name, space.fired(name), found if space.manifest.parents else None)


# Variables


def _variables(space: SavedSpace) -> Iterator[VariableStatistics]:
    layout = space.manifest.layout
    everything = range(len(layout.leaves))
    for variable in variables_of(layout.domain):
        yield VariableStatistics(
            variable.name,
            variable.nested,
            sum(layout.slots[leaf].bits for leaf in variable.leaves),
            _different(space, variable.leaves),
            _different(space, sorted(set(everything) - set(variable.leaves))),
        )


def _different(space: SavedSpace, leaves: Sequence[int]) -> int:
    """The number of distinct values that some leaves take together."""
    masks = [0] * space.manifest.words
    for leaf in leaves:
        slot = space.manifest.layout.slots[leaf]
        masks[slot.word] |= slot.mask << slot.shift
    parts = [
        word.view(np.uint64) & np.uint64(mask)
        for word, mask in zip(space.states.words, masks, strict=True)
        if mask
    ]
    return different(parts)


def different(parts: Sequence[Flags]) -> int:
    """The number of distinct rows of some columns; 1 if there is no column."""
    if not parts:
        return 1
    joint = parts[0]
    for part in parts[1:]:
        joint = _mixed(joint) ^ part
    joint = np.sort(joint)
    return int(len(joint) > 0) + int((joint[1:] != joint[:-1]).sum())


def _mixed(words: Flags) -> Flags:
    """Hashes of words: equal for equal words, else as good as random (splitmix64)."""
    mixed = words + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


# The ways to violations


def _broken(space: SavedSpace) -> Iterator[BrokenStatistics]:
    """The violated properties of states."""
    found, number, binding, level = space.columns(VIOLATIONS, ["state", "property", "binding"])
    states = space.states
    ways = _Ways(space) if space.manifest.parents and len(found) else None
    for place, held in enumerate(space.manifest.properties):
        mine = (number == place) & (binding < 0)
        if not mine.any():
            continue
        at = states.places(found[mine])
        entries = _entries(states, at)
        before = () if ways is None else tuple(ways.before(entries))
        depth = int(level[mine].min()) + 1
        yield BrokenStatistics(held.name, len(at), depth, len(entries) if before else 0, before)


def _entries(states: States, broken: Ints) -> Ints:
    """The violating states that are found from a state that does not violate."""
    inside = np.zeros(states.size, np.bool_)
    inside[broken] = True
    parents = states.parents[broken]
    return broken[~(inside[parents] & (parents >= 0))]


class _Ways:
    """The actions on the shortest ways to all states."""

    def __init__(self, space: SavedSpace) -> None:
        self.states = space.states
        self.names = space.manifest.actions
        bindings = self.states.bindings
        self.last = np.where(bindings < 0, -1, space.action_of[np.maximum(bindings, 0)])
        self.groups = [self._flags(low) for low in range(0, len(self.names), BITS)]

    def _flags(self, low: int) -> Flags:
        """For each state a bit for each of 64 actions: whether the way to it has the action."""
        flags = np.zeros(self.states.size, np.uint64)
        bits = self.last - low
        mine = np.where((bits >= 0) & (bits < BITS), bits, 0).astype(np.uint64)
        own = np.where((bits >= 0) & (bits < BITS), np.uint64(1) << mine, np.uint64(0))
        order = np.argsort(self.states.level, kind="stable")
        ends = np.cumsum(np.bincount(self.states.level))
        for start, stop in zip([0, *ends[:-1]], ends, strict=True):
            some = order[start:stop]
            parents = self.states.parents[some]
            flags[some] = np.where(parents < 0, np.uint64(0), flags[parents]) | own[some]
        return flags

    def before(self, places: Ints) -> Iterator[BeforeStatistics]:
        """The actions on the ways to some states, the most significant first."""
        found: list[BeforeStatistics] = []
        for number, name in enumerate(self.names):
            bit = np.uint64(1 << number % BITS)
            flags = self.groups[number // BITS] & bit != 0
            last = float((self.last[places] == number).mean())
            found.append(
                BeforeStatistics(name, last, float(flags[places].mean()), float(flags.mean()))
            )
        found = [way for way in found if way.on]
        yield from sorted(found, key=lambda way: (-way.last, way.elsewhere - way.on, way.action))
