"""The smallest fair cycle of a component, every step of it an edge.

A closed walk is found by a breadth-first search over pairs: its present state, and the demands that
it has met or incurred on the way. The search starts from each state of the component in turn, up to
the length of the best cycle so far. Later searches leave out a state from which a search has
started, because all cycles through it are known. For large components this would take too long, so
the work is bounded: the result then is a fair cycle, but perhaps not the smallest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from specmodel.dataclass import dataclass
from specmodel.liveness.demands import Demands
from specmodel.liveness.graph import Bools, Places, Poll, StateGraph, States, Words
from specmodel.liveness.shortest_paths import ShortestPaths

MOST_WORK = 1_000_000
"""The greatest number of edges read in search of a smaller cycle."""

LEAST = 2
"""The least number of states of a cycle of edges: a self-loop is no edge."""

Walk = tuple[int, int, int]
"""The present state of a walk, the demands that it has met, and those that it still has to meet."""


@dataclass(frozen=True)
class Cycle:
    """The states of a cycle in order; the last leads back to the first. One may come twice.

    `smallest` says that no fair cycle of the graph has fewer states.
    """

    states: tuple[int, ...]
    smallest: bool


def smallest_cycle(
    graph: StateGraph, demands: Demands, component: States, ways: ShortestPaths, poll: Poll
) -> Cycle:
    """The smallest fair cycle in some fair components, and of several the nearest to the start.

    It starts with the state that is nearest to an initial one.
    """
    members = np.flatnonzero(component >= 0)
    order = members[np.lexsort((members, ways.distance[members]))]
    walks = _ClosedWalks(graph, demands, component)
    best = walks.stitched(int(order[0]), poll)
    for start in order.tolist():
        poll()
        if len(best) == LEAST or walks.work > MOST_WORK:
            break
        best = walks.shortest(start, len(best) - 1) or best
        walks.tried.add(start)
    nearest = min(range(len(best)), key=lambda i: (int(ways.distance[best[i]]), best[i]))
    smallest = len(best) == LEAST or walks.work <= MOST_WORK
    return Cycle(tuple(best[nearest:] + best[:nearest]), smallest)


@dataclass
class _ClosedWalks:
    """Closed walks through fair components.

    The demands of a walk are two sets of bits: `met` are demands that it took, or weak ones that it
    saw not enabled; `unmet` are strong ones that it saw enabled and that are not met.
    """

    graph: StateGraph
    demands: Demands
    component: States
    tried: set[int] = field(default_factory=set[int])
    work: int = 0

    def __post_init__(self) -> None:
        self.weak = sum(1 << number for number in self.demands.weak)
        self.strong = sum(1 << number for number in self.demands.strong)
        self.takes = [_bits(row) for row in self.demands.takes]
        self.steps: dict[int, tuple[tuple[int, int], ...]] = {}

    def shortest(self, start: int, most: int) -> list[int] | None:
        """The shortest fair cycle from a state with at most `most` states."""
        first = (start, *self._arrived(0, 0, start))
        before: dict[Walk, Walk] = {first: first}
        level = [first]
        for _ in range(most):
            following: list[Walk] = []
            for walk in level:
                state, met, unmet = walk
                for to, taken in self._steps(state):
                    if to in self.tried:
                        continue
                    then = (to, *self._arrived(met | taken, unmet, to))
                    if to == start and self._fair(then[1], then[2]):
                        return _walked(before, walk)
                    if then not in before:
                        before[then] = walk
                        following.append(then)
                if self.work > MOST_WORK:
                    return None
            level = following
        return None

    def stitched(self, start: int, poll: Poll) -> list[int]:
        """A fair cycle made of shortest ways to each unmet demand in turn, and back."""
        # The way back may visit any state, so every demand enabled somewhere is unmet from the
        # start.
        own = self.demands.enabled[self.component == self.component[start]]
        everywhere = self.strong & _bits(np.bitwise_or.reduce(own, axis=0))
        walk, (met, unmet) = [start], self._arrived(0, everywhere, start)
        while not self._fair(met, unmet):
            poll()
            for to in self._way(walk[-1], self._gaining(met, unmet)):
                met, unmet = self._arrived(met | dict(self._steps(walk[-1]))[to], unmet, to)
                walk.append(to)
        if walk[-1] != start or len(walk) == 1:
            walk += self._way(walk[-1], lambda edges, targets: targets == start)
        return walk[:-1]

    def _gaining(self, met: int, unmet: int) -> Callable[[Places, States], Bools]:
        """The edges that meet a wanted demand that is not met."""
        unseen = self.weak & ~met
        kinds = np.array([bool(taken & (unseen | unmet)) for taken in self.takes])
        wanted = [number for number in self.demands.weak if unseen >> number & 1]

        def gains(edges: Places, targets: States) -> Bools:
            found = kinds[self.graph.kinds[edges]]
            for number in wanted:
                found |= ~self.demands.has(number, targets)
            return found

        return gains

    def _way(self, start: int, goal: Callable[[Places, States], Bools]) -> list[int]:
        """The states after `start` on a shortest way within its component over a wanted edge."""
        graph, own = self.graph, self.component[start]
        before = np.full(graph.size, -1, np.int32)
        before[start] = start
        frontier: NDArray[np.int64] = np.array([start], np.int64)
        while len(frontier):
            found: list[NDArray[np.int64]] = []
            for places, edges in graph.outgoing(frontier):
                targets = graph.targets[edges]
                inside = self.component[targets] == own
                hits = np.flatnonzero(inside & goal(edges, targets))
                if len(hits):
                    way = [int(targets[hits[0]]), int(frontier[places[hits[0]]])]
                    while way[-1] != start:
                        way.append(int(before[way[-1]]))
                    return way[-2::-1]
                new = inside & (before[targets] < 0)
                reached, first = np.unique(targets[new], return_index=True)
                before[reached] = frontier[places[new][first]]
                found.append(reached.astype(np.int64))
            frontier = np.sort(np.concatenate(found))
        raise AssertionError("a fair component has no fair cycle")

    def _steps(self, state: int) -> tuple[tuple[int, int], ...]:
        """The successors of a state in its component, and the demands that the edges take."""
        if state not in self.steps:
            first, stop = self.graph.starts[state], self.graph.starts[state + 1]
            merged: dict[int, int] = {}
            for to, kind in zip(
                self.graph.targets[first:stop].tolist(),
                self.graph.kinds[first:stop].tolist(),
                strict=True,
            ):
                if self.component[to] == self.component[state]:
                    merged[to] = merged.get(to, 0) | self.takes[kind]
            self.steps[state] = tuple(merged.items())
        self.work += len(self.steps[state])
        return self.steps[state]

    def _arrived(self, met: int, unmet: int, state: int) -> tuple[int, int]:
        enabled = _bits(self.demands.enabled[state])
        met |= self.weak & ~enabled
        return met, (unmet | (self.strong & enabled)) & ~met

    def _fair(self, met: int, unmet: int) -> bool:
        return not (self.weak & ~met or unmet)


def _bits(words: Words) -> int:
    """Words, the lowest first, as one number."""
    return int.from_bytes(words.astype("<u8").tobytes(), "little")


def _walked(before: dict[Walk, Walk], walk: Walk) -> list[int]:
    path = [walk]
    while before[path[-1]] != path[-1]:
        path.append(before[path[-1]])
    return [state for state, _, _ in reversed(path)]
