"""Shortest ways through a graph: from the initial states to where a violation begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from specmodel.dataclass import dataclass
from specmodel.liveness.graph import Bools, Poll, StateGraph, States

NEVER = np.iinfo(np.int32).max
"""The distance of unreachable states."""


@dataclass(frozen=True)
class ShortestPaths:
    """Shortest ways from initial states through a seed to states within a set after it.

    `distance` is in steps from an initial state; `parent` is the state before it on the way, -1 for
    a seed, whose distance is given by its level.
    """

    graph: StateGraph
    distance: States
    parent: States

    @classmethod
    def from_seeds(
        cls, graph: StateGraph, seeds: Bools, within: Bools, poll: Poll
    ) -> ShortestPaths:
        """The ways whose states from a seed on are all within a set, which contains the seeds."""
        level = graph.level()
        if seeds is within:  # all states are seeds: none is reached from another
            return cls(graph, np.where(seeds, level, NEVER), np.full(graph.size, -1, np.int32))
        distance = np.full(graph.size, NEVER, np.int32)
        parent = np.full(graph.size, -1, np.int32)
        deepest = len(graph.levels) - 1
        frontier: NDArray[np.int64] = np.empty(0, np.int64)
        steps = 0
        while steps < deepest or len(frontier):
            poll()
            if steps < deepest:
                first, stop = graph.levels[steps], graph.levels[steps + 1]
                fresh = first + np.flatnonzero(seeds[first:stop] & (distance[first:stop] == NEVER))
                distance[fresh] = level[fresh]
                frontier = np.union1d(frontier, fresh)
            frontier = _following(graph, frontier, within, distance, parent, steps + 1)
            steps += 1
        return cls(graph, distance, parent)

    def to(self, state: int) -> list[int]:
        """The states from an initial one to a reached one, each the least possible."""
        path = [state]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        levels = self.graph.levels
        for below in range(int(self.distance[path[-1]]) - 1, -1, -1):
            level = np.arange(int(levels[below]), int(levels[below + 1]))
            path.append(_first_source(self.graph, level, path[-1]))
        return path[::-1]


def _following(
    graph: StateGraph,
    frontier: NDArray[np.int64],
    within: Bools,
    distance: States,
    parent: States,
    steps: int,
) -> NDArray[np.int64]:
    """The states reached first from a frontier, in order; notes their distance and parent."""
    found: list[NDArray[np.int64]] = []
    for places, edges in graph.outgoing(frontier):
        targets = graph.targets[edges]
        new = within[targets] & (distance[targets] == NEVER)
        reached, first = np.unique(targets[new], return_index=True)
        distance[reached] = steps
        parent[reached] = frontier[places[new][first]]
        found.append(reached.astype(np.int64))
    return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)


def _first_source(graph: StateGraph, states: NDArray[np.int64], target: int) -> int:
    """The least of some states, in order, from which an edge leads to another."""
    for places, edges in graph.outgoing(states):
        hits = np.flatnonzero(graph.targets[edges] == target)
        if len(hits):
            return int(states[places[hits[0]]])
    raise AssertionError("a state has no predecessor in the level before it")
