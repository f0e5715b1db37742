"""The fairness constraints of cycles, and the components with a fair cycle.

A weak constraint is satisfied by a state that does not have it enabled, or by a step that takes it.
A strong one is satisfied if no state has it enabled, or by a step that takes it. The demand that
states of some set are visited again and again is a weak constraint too: all other states have it
enabled, and no step takes it.

The components are found as usual for Streett automata: in a strongly connected component without a
step that takes a strong constraint, no fair cycle visits the states that have it enabled. These
states are removed, and the rest falls into smaller components, until nothing changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from specmodel.dataclass import dataclass
from specmodel.liveness.components import components
from specmodel.liveness.graph import (
    WORD,
    Bools,
    Poll,
    StateGraph,
    States,
    Words,
    bit_columns,
)


@dataclass(frozen=True)
class Demands:
    """The constraints of a graph, and perhaps one more, as bits.

    `enabled` is by state, `takes` by kind of edge; `weak` and `strong` say which bits are which.
    """

    enabled: Words
    takes: Words
    weak: tuple[int, ...]
    strong: tuple[int, ...]

    @classmethod
    def of(cls, graph: StateGraph, visited: Bools | None = None) -> Demands:
        """The fairness constraints of a graph; with `visited`, states that a cycle has to visit."""
        numbers = range(len(graph.constraints))
        weak = tuple(i for i in numbers if not graph.constraints[i].strong)
        strong = tuple(i for i in numbers if graph.constraints[i].strong)
        if visited is None:
            return cls(graph.enabled, graph.takes, weak, strong)
        more = len(numbers)
        enabled, takes = _widened(graph.enabled, more + 1), _widened(graph.takes, more + 1)
        enabled[:, more // WORD] |= (~visited).astype(np.uint64) << np.uint64(more % WORD)
        return cls(enabled, takes, (*weak, more), strong)

    def none_enabled(self) -> Bools:
        """The states at which a fair behaviour may stop."""
        return ~np.any(self.enabled, axis=1, out=np.empty(len(self.enabled), np.bool_))

    def has(self, number: int, states: NDArray[np.integer]) -> Bools:
        """The states, of some, that have a constraint enabled."""
        return _bit(self.enabled[states, number // WORD], number)

    def taken(self, number: int) -> Bools:
        """The kinds of edges that take a constraint."""
        return _bit(self.takes[:, number // WORD], number)


def _bit(words: Words, number: int) -> Bools:
    return (words >> np.uint64(number % WORD) & np.uint64(1)).astype(np.bool_)


def _widened(words: Words, count: int) -> Words:
    wide = np.zeros((len(words), bit_columns(count)), np.uint64)
    wide[:, : words.shape[1]] = words
    return wide


def fair_components(graph: StateGraph, demands: Demands, within: Bools, poll: Poll) -> States:
    """The fair component of each state, from 0 on; -1 for none.

    Components have two states or more. Every fair cycle that stays `within` some states and has
    more than one state is in a component, and every component has such a cycle. `poll` is called
    regularly, and may raise to end the work.
    """
    found = np.full(graph.size, -1, np.int32)
    count = 0
    while within.any():
        part = _CyclicPart.of(graph, within, poll)
        lost, removed = part.judged(demands)
        smaller = np.bincount(part.component[removed], minlength=part.count) > 0
        fair = ~lost & ~smaller
        numbers = np.cumsum(fair) - 1 + count
        done = fair[part.component]
        found[part.states[done]] = numbers[part.component[done]]
        count += int(fair.sum())
        again = (smaller & ~lost)[part.component] & ~removed
        within = np.zeros(graph.size, np.bool_)
        within[part.states[again]] = True
    return found


@dataclass(frozen=True)
class _CyclicPart:
    """The states of a part of the graph that are on cycles within the part.

    `component` numbers the component of each of `states`; `seen` has a row for each component and a
    column for each kind of edge: whether there is such an edge between states of the component.
    """

    states: NDArray[np.int64]
    component: NDArray[np.int64]
    count: int
    seen: Bools

    @classmethod
    def of(cls, graph: StateGraph, within: Bools, poll: Poll) -> _CyclicPart:
        number = components(graph.starts, graph.targets, within)
        poll()
        sizes = np.bincount(number[within])
        cyclic = np.flatnonzero(sizes > 1)
        renamed = np.full(len(sizes) + 1, -1)  # the last entry is for states outside: -1
        renamed[cyclic] = np.arange(len(cyclic))
        number = renamed[number]
        states = np.flatnonzero(number >= 0)
        seen = np.zeros((len(cyclic), len(graph.takes)), np.bool_)
        for places, edges in graph.outgoing(states):
            poll()
            source = number[states[places]]
            inner = source == number[graph.targets[edges]]
            seen[source[inner], graph.kinds[edges[inner]]] = True
        return cls(states, number[states], len(cyclic), seen)

    def judged(self, demands: Demands) -> tuple[Bools, Bools]:
        """The components within which no cycle is fair, and of `states` those to be removed."""
        lost = np.zeros(self.count, np.bool_)
        removed = np.zeros(len(self.states), np.bool_)
        sizes = np.bincount(self.component, minlength=self.count)
        for number in (*demands.weak, *demands.strong):
            kinds = self.seen[:, demands.taken(number)]
            taken = np.any(kinds, axis=1, out=np.empty(self.count, np.bool_))
            has = demands.has(number, self.states)
            if number in demands.weak:
                enabled = np.bincount(self.component[has], minlength=self.count)
                lost |= ~taken & (enabled == sizes)
            else:
                removed |= has & ~taken[self.component]
        return lost, removed
