"""Ways through a saved space, along the parents of states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from specmodel.dataclass import dataclass
from specmodel.space.files import STATES
from specmodel.space.run import SavedSpace
from specmodel.space.sql import Sql


@dataclass(frozen=True)
class SavedState:
    """A state of a space: its id, its words as unsigned numbers, and the binding that found it
    first, negative for an initial state."""

    id: int
    words: tuple[int, ...]
    binding: int


def ways(
    database: Sql, space: SavedSpace, ends: Iterable[tuple[int, int]]
) -> dict[int, tuple[SavedState, ...]]:
    """The way to each of some states, given by their levels and ids, from an initial state."""
    wanted: defaultdict[int, set[int]] = defaultdict(set)
    for level, state in ends:
        wanted[level].add(state)
    goals = {state for states in wanted.values() for state in states}
    columns = ", ".join(
        ["id", "parent", "binding", *(f"w{word}" for word in range(space.manifest.words))]
    )
    found: dict[int, SavedState] = {}
    parents: dict[int, int] = {}
    for level in range(max(wanted, default=-1), -1, -1):
        database.view("here", space, STATES, level)
        named = ", ".join(map(str, sorted(wanted[level])))
        for state, parent, binding, *held in database.rows(
            f"select {columns} from here where id in ({named})"
        ):
            found[state] = SavedState(state, tuple(w & ((1 << 64) - 1) for w in held), binding)
            if parent >= 0:
                parents[state] = parent
                wanted[level - 1].add(parent)
    return {goal: tuple(_way(goal, found, parents)) for goal in goals}


def _way(goal: int, found: dict[int, SavedState], parents: dict[int, int]) -> list[SavedState]:
    taken = [found[goal]]
    while taken[-1].id in parents:
        taken.append(found[parents[taken[-1].id]])
    return taken[::-1]
