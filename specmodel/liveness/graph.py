"""The graph of reachable states, compressed, on which liveness is decided.

States are numbered by level (0 for the initial ones), and within a level in the canonical order of
the state's domain, so that every engine gives the same numbers. A step that changes nothing is no
edge, because a behaviour may stay in a state anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specmodel.behaviour.formulas import Constraint, Predicate
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
    return _numbered(kinds), takes


def kinds_of_edges(taken: Words) -> tuple[NDArray[np.uint16], Words]:
    """The kind of each edge, and the constraints of each kind, by those that each edge takes."""
    takes, kinds = np.unique(taken, axis=0, return_inverse=True)
    return _numbered(kinds.reshape(-1)), takes if len(takes) else np.zeros_like(
        taken, shape=(1, taken.shape[1])
    )


def _numbered(kinds: ArrayLike) -> NDArray[np.uint16]:
    """Numbers of kinds. Raises SpecmodelError for more than there are."""
    found = np.asarray(kinds, np.int64)
    if found.max(initial=0) >= (1 << 16) - 1:
        raise SpecmodelError("fairness tells more than 65,535 sorts of steps apart; ask for less")
    return found.astype(np.uint16)


def refuse_too_many(edges: int) -> None:
    """Raises SpecmodelError for more edges than can be numbered."""
    if edges > MOST_EDGES:
        raise SpecmodelError(
            f"the graph has more than {MOST_EDGES:,} edges: liveness needs smaller bounds"
        )
