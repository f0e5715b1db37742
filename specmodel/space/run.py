"""A saved space: its manifest, the records of its levels, and its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.design import Design
from specmodel.errors import DamagedRun, SpecmodelError, UsageError
from specmodel.ir.digest import digest
from specmodel.space.arrow import batches
from specmodel.space.files import SHARD_SHIFT, STATES, TRANSITIONS, RunFiles, read_json
from specmodel.space.manifest import Manifest
from specmodel.space.near_files import NearFiles
from specmodel.stores import place
from specmodel.suite.targets import load_target

Ints = NDArray[np.int64]

ROWS = 1 << 18
"""Rows that are read at a time."""


class SavedSpace:
    """A saved space, with the levels that counted when it was opened.

    `levels` are their records. If the search ended early, the steps out of the last level lead to
    states that do not count; these steps do not count either.
    """

    def __init__(self, folder: str | Path, *, verify: bool = True) -> None:
        """Reads the manifest and records.

        Raises UsageError for a folder without a space, DamagedRun.

        All files are read once and compared with their checksums; without `verify`, only their
        lengths are compared.
        """
        self.folder = place(folder)
        self.near = NearFiles(self.folder)
        self.files = RunFiles(self.folder)
        self.manifest = Manifest.read(self.folder)
        finished = self.files.refuse_damaged(contents=verify)
        self.levels = self.files.committed()
        if not self.levels:
            raise UsageError(f"{folder} has no level that is whole: nothing to look at yet")
        self.verdicts = read_json(self.files.properties) if finished else None
        if self.verdicts is None and self.manifest.transitions:
            self.levels[-1] |= {"expanded": False, "generated": 0, "actions": {}}

    @property
    def size(self) -> int:
        """The number of states."""
        return sum(record["states"] for record in self.levels)

    @property
    def complete(self) -> bool:
        """Whether these are all states that are reachable within the constraints."""
        return self.verdicts is not None and self.verdicts["complete"]

    def fired(self, action: str) -> int | None:
        """How often an action has fired, None if that is not saved."""
        if self.manifest.transitions:
            return sum(record["actions"].get(action, 0) for record in self.levels)
        return None if self.verdicts is None else self.verdicts["actions"].get(action, 0)

    def batches(
        self, kind: str, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
        """Rows of states, transitions or violations, in batches, with their level.

        `columns` are those that are read; all if None. Raises DamagedRun.
        """
        for level in self.levels_with(kind):
            for path in self.parts(kind, level):
                yield from ((level, held) for held in batches(path, ROWS, columns))

    def parts(self, kind: str, level: int) -> list[Path]:
        """The files of a level that counts, as its record names them."""
        return [self.folder / name for name in self.levels[level]["files"] if name.startswith(kind)]

    def levels_with(self, kind: str) -> list[int]:
        """The levels that have states, transitions or violations that count."""
        known = [kind != TRANSITIONS or held.get("expanded", True) for held in self.levels]
        return [level for level, there in enumerate(known) if there]

    def columns(self, kind: str, columns: Sequence[str]) -> tuple[NDArray[Any], ...]:
        """Some columns as arrays, and last the level of each row. Raises DamagedRun."""
        held: list[list[NDArray[Any]]] = [[] for _ in range(len(columns) + 1)]
        for level, batch in self.batches(kind, columns):
            for number, name in enumerate(columns):
                held[number].append(batch[name])
            held[-1].append(np.full(len(batch[columns[0]]), level, np.int32))
        return tuple(np.concatenate(parts) if parts else np.empty(0, np.int64) for parts in held)

    @cached_property
    def states(self) -> States:
        """All states in memory. Raises DamagedRun."""
        return States(self)

    @cached_property
    def action_of(self) -> Ints:
        """The number of each binding's action."""
        number = {name: number for number, name in enumerate(self.manifest.actions)}
        return np.array([number[b.action] for b in self.manifest.bindings] or [0], np.int64)

    def found(self, some: NDArray[np.bool_] | bool = True) -> Ints:
        """For each action, how many of some states (default: all) it found first."""
        bindings = self.states.bindings[some & (self.states.bindings >= 0)]
        return np.bincount(self.action_of[bindings], minlength=len(self.manifest.actions))

    def need_transitions(self) -> None:
        """Raises UsageError if the steps are not saved."""
        if not self.manifest.transitions:
            again = f"specmodel check {self.manifest.design}"
            if self.manifest.engine == "spark":
                again += f" --engine spark --run {self.folder}"
            raise UsageError(
                f"{self.folder} has no transitions: save the space with them "
                f"({again} --save-space DIR)"
            )

    def steps(self) -> Iterator[tuple[int, Ints, Ints, NDArray[np.int32]]]:
        """All steps, in batches, with the level of their sources.

        They are places of sources and targets among `states` (-1: out of the constraints), and
        bindings. Raises UsageError if no steps are saved, DamagedRun.
        """
        self.need_transitions()
        for level, held in self.batches(TRANSITIONS, ("source", "target", "binding")):
            yield (
                level,
                self.states.places(held["source"]),
                self.states.places(held["target"]),
                held["binding"],
            )

    @cached_property
    def design(self) -> Design | None:
        """The design, from its source, if the source exists and has the same meaning."""
        if not self.manifest.target:
            return None
        try:
            design = load_target(self.manifest.target, self.manifest.constants)
            same = digest(design.spec.code) == self.manifest.identity["model"]
        except SpecmodelError:
            return None
        return design if same else None


class States:
    """All states of a space, by their places: the order of ids, shard after shard."""

    def __init__(self, space: SavedSpace) -> None:
        names = [f"w{word}" for word in range(space.manifest.words)]
        more = ["parent", "binding"] if space.manifest.parents else []
        ids, *held, level = space.columns(STATES, ["id", *names, *more])
        shards = ids >> SHARD_SHIFT
        counts = np.bincount(shards, minlength=space.manifest.shards)
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        self.size = len(ids)
        places = self.places(ids)
        if len(ids) != space.size or not np.array_equal(np.sort(places), np.arange(len(ids))):
            raise DamagedRun(
                f"{space.folder} has {len(ids):,} states: not each of the {space.size:,} that its "
                "levels count, once"
            )

        def in_order(column: NDArray[Any]) -> NDArray[Any]:
            found = np.empty_like(column)
            found[places] = column
            return found

        self.ids: Ints = in_order(ids)
        self.words: list[Ints] = [in_order(column) for column in held[: len(names)]]
        self.level: NDArray[np.int32] = in_order(level)
        parents = held[len(names)] if more else np.full(len(ids), -1)
        self.parents: Ints = self.places(in_order(parents))
        self.bindings: NDArray[np.int32] = in_order(
            held[-1] if more else np.full(len(ids), -1, np.int32)
        )

    def places(self, ids: Ints) -> Ints:
        """The places of ids; -1 for no state.

        Raises DamagedRun for ids of states that are not saved.
        """
        shards = np.maximum(ids, 0) >> SHARD_SHIFT
        if len(shards) and shards.max() >= len(self._starts) - 1:
            raise DamagedRun(f"there is no shard {shards.max()}")
        found = self._starts[shards] + (ids & ((1 << SHARD_SHIFT) - 1))
        return np.where(ids < 0, -1, found)

    def path(self, place: int) -> list[int]:
        """The places on the way to a state from an initial one, along parents."""
        found = [place]
        while (place := int(self.parents[place])) >= 0:
            found.append(place)
        return found[::-1]

    def packed(self, place: int) -> tuple[int, ...]:
        """The words of a state, as unsigned numbers."""
        return tuple(int(word[place]) & ((1 << 64) - 1) for word in self.words)
