"""The graph of reachable states, compressed, on which liveness is decided.

States are numbered by level (0 for the initial ones), and within a level in the canonical order of
the state's domain, so that every engine gives the same numbers. A step that changes nothing is no
edge, because a behaviour may stay in a state anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from specmodel.behaviour.formulas import Constraint, Predicate
from specmodel.dataclass import dataclass
from specmodel.errors import SpecmodelError

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
States = NDArray[np.int32]
Places = NDArray[np.int64]

Poll = Callable[[], None]
"""Called regularly during long work; it raises an error to end the work."""

WORD = 64
EDGES_AT_ONCE = 1 << 22
MOST_EDGES = (1 << 31) - 1


@dataclass(frozen=True)
class StateGraph:
    """States, the edges between them, and the constraints and predicates of both.

    The edges of state i are `starts[i]` to `starts[i + 1]`; edge e leads to `targets[e]` and is
    taken by the bindings of kind `kinds[e]`: `takes[kind]` has a bit for each constraint that they
    are part of, `enabled[i]` one for each that state i has enabled, also by a step that leads out
    of the state constraints and so is no edge. `levels[l]` is the first state of level l; one more
    entry ends the last. `truth` has a column of states for each predicate.
    """

    levels: Places
    starts: Places
    targets: States
    kinds: NDArray[np.uint16]
    takes: Words
    enabled: Words
    constraints: tuple[Constraint, ...]
    truth: dict[Predicate, Bools]

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.starts) - 1

    @property
    def edges(self) -> int:
        """The number of edges; there may be several from one state to another."""
        return len(self.targets)

    def level(self) -> States:
        """The level of each state."""
        sizes = np.diff(self.levels)
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def outgoing(self, states: NDArray[np.integer]) -> Iterator[tuple[Places, Places]]:
        """The edges of some states, in batches: places in `states`, and edges."""
        first, counts = self.starts[states], self.starts[states + 1] - self.starts[states]
        ends = np.cumsum(counts)
        done = 0
        while done < len(states):
            before = int(ends[done - 1]) if done else 0
            stop = max(done + 1, int(np.searchsorted(ends, before + EDGES_AT_ONCE)))
            some = counts[done:stop]
            sources = np.repeat(np.arange(done, stop), some)
            offsets = np.repeat(first[done:stop] - (ends[done:stop] - some), some)
            yield sources, np.arange(before, before + len(sources)) + offsets
            done = stop

    def without(self, edges: Bools) -> StateGraph:
        """The graph without some edges."""
        if not edges.any():
            return self
        kept = ~edges
        before = np.concatenate([[0], np.cumsum(kept)])
        return replace(
            self,
            starts=before[self.starts],
            targets=self.targets[kept],
            kinds=self.kinds[kept],
        )

    def successors(self, state: int) -> list[int]:
        """The states that the edges of a state lead to."""
        return self.targets[self.starts[state] : self.starts[state + 1]].tolist()


def bit_columns(count: int) -> int:
    """The number of words with a bit for each of `count` constraints; at least one."""
    return max(1, -(-count // WORD))


def kinds_of(constraints: Sequence[Constraint], bindings: int) -> tuple[NDArray[np.uint16], Words]:
    """The kind of each binding, and the constraints of each kind as bits.

    Bindings with the same constraints are of one kind. Kind 0 is that of bindings without
    constraints.
    """
    members: list[tuple[int, ...]] = [
        tuple(i for i, c in enumerate(constraints) if binding in c.bindings)
        for binding in range(bindings)
    ]
    known: dict[tuple[int, ...], int] = {(): 0}
    kinds = [known.setdefault(held, len(known)) for held in members]
    takes = np.zeros((len(known), bit_columns(len(constraints))), np.uint64)
    for held, kind in known.items():
        for constraint in held:
            takes[kind, constraint // WORD] |= np.uint64(1 << constraint % WORD)
    _refuse_too_many_kinds(len(known))
    return np.array(kinds, np.uint16), takes


def distinct(values: Places) -> Places:
    """Some numbers in order, each once: by sorting, which is ten times as fast as np.unique."""
    values = np.sort(values)
    kept = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=kept[1:])
    return values[kept]


def numbered(kinds: NDArray[np.integer]) -> tuple[NDArray[np.uint16], list[int]]:
    """Small numbers as numbers without gaps, and which ones there are. Needs no sorting."""
    there = np.flatnonzero(np.bincount(kinds))
    _refuse_too_many_kinds(len(there))
    new = np.zeros(int(there.max(initial=0)) + 1, np.uint16)
    new[there] = np.arange(len(there), dtype=np.uint16)
    return new[kinds], there.tolist()


def kinds_of_edges(taken: Sequence[Bools], edges: int) -> tuple[NDArray[np.uint16], Words]:
    """The kind of each edge, and the constraints of each kind, of the edges that take each one."""
    kinds, held = np.zeros(edges, np.uint16), [0]
    for number, those in enumerate(taken):
        kinds, there = numbered(2 * kinds.astype(np.int32) + those)
        held = [held[one >> 1] | (one & 1) << number for one in there]
    columns = bit_columns(len(taken))
    takes = np.zeros((max(1, len(held)), columns), np.uint64)
    for kind, bits in enumerate(held):
        takes[kind] = [bits >> WORD * column & (1 << WORD) - 1 for column in range(columns)]
    return kinds, takes


def _refuse_too_many_kinds(count: int) -> None:
    if count > 1 << 16:
        raise SpecmodelError("fairness tells more than 65,536 sorts of steps apart; ask for less")


def refuse_too_many(edges: int) -> None:
    """Raises SpecmodelError for more edges than can be numbered."""
    if edges > MOST_EDGES:
        raise SpecmodelError(
            f"the graph has more than {MOST_EDGES:,} edges: liveness needs smaller bounds"
        )
