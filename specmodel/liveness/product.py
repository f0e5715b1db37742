"""Decides a temporal formula of any form: by the graph of states times an automaton of the formula.

A node of the product is a state with what the rest of the behaviour has to satisfy; its edges are
steps, and edges of the automaton while the state stays as it is. That no `<>` is put off for ever
is weak fairness of the product, which is judged like any graph of states.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from specmodel.behaviour.formulas import Constraint, Formula
from specmodel.dataclass import dataclass
from specmodel.liveness.graph import (
    WORD,
    Bools,
    Places,
    Poll,
    StateGraph,
    Words,
    bit_columns,
    distinct,
    numbered,
    refuse_too_many,
)
from specmodel.liveness.judge import Behaviour, accepted
from specmodel.liveness.linear_time import Automaton, AutomatonEdge


class TruthTable(NamedTuple):
    """Where a predicate is true: of a state by `states`, of a step by `edges`.

    The predicate of a step has as `states` whether a step that changes nothing satisfies it.
    """

    states: Bools
    edges: Bools | None


def satisfying(
    graph: StateGraph,
    automaton: Automaton,
    truth: Mapping[Hashable, TruthTable],
    formula: Formula,
    poll: Poll,
) -> Behaviour | None:
    """A fair behaviour that an automaton accepts, which violates `formula`; None if there is none.

    `smallest` is told of a behaviour that stops alone: other cycles are those of the product.
    """
    if graph.size == 0:
        return None
    product = _Product(graph, automaton, truth, poll)
    found = accepted(product.graph(), formula, poll)
    if found is None:
        return None
    states = product.states[list(found.states)].tolist()
    prefix, cycle = _changing(states[: found.loop]), _changing(states[found.loop :])
    while len(cycle) > 1 and cycle[0] == cycle[-1]:
        cycle.pop()
    while prefix and prefix[-1] == cycle[0]:
        prefix.pop()
    return Behaviour(formula, (*prefix, *cycle), len(prefix), len(cycle) == 1)


def _changing(states: list[int]) -> list[int]:
    """Some states without repetitions next to each other."""
    return [one for place, one in enumerate(states) if not place or one != states[place - 1]]


@dataclass(frozen=True)
class _Edges:
    """Edges of the product: from nodes by numbers to nodes by keys.

    A kind is that of the step, or one more where the state stays, times the number of different
    sets of promises that an edge of the automaton puts off, plus the number of its own set.
    """

    sources: Places
    keys: Places
    kinds: NDArray[np.int32]


class _Product:
    """The reachable nodes of a product, numbered by level. A node's key is its state's number times
    the number of nodes of the automaton, plus the node of the automaton."""

    def __init__(
        self,
        graph: StateGraph,
        automaton: Automaton,
        truth: Mapping[Hashable, TruthTable],
        poll: Poll,
    ) -> None:
        self.base = graph
        self.automaton = automaton
        self.truth = truth
        self.poll = poll
        self.width = len(automaton.edges)
        self.fair = len(graph.constraints)
        self.columns = bit_columns(self.fair + automaton.promises + 1)
        self.known = np.full(graph.size * self.width, -1, np.int32)
        self.levels = [0]
        self.found: list[_Edges] = []
        self.keys: list[Places] = []
        self.stays: list[Words] = []
        deferred = dict.fromkeys(edge.deferred for edges in automaton.edges for edge in edges)
        self.sets = {each: number for number, each in enumerate(deferred)}
        frontier = np.arange(int(graph.levels[1]), dtype=np.int64) * self.width
        while len(frontier):
            first = self.levels[-1]
            self.known[frontier] = np.arange(first, first + len(frontier))
            self.levels.append(first + len(frontier))
            self.keys.append(frontier)
            frontier = self._expand(frontier, first)
        self.states = np.concatenate(self.keys) // self.width

    def _expand(self, frontier: Places, first: int) -> Places:
        """Notes the edges of the nodes of a level, which has the numbers from `first` on.

        Returns the keys of the nodes that are reached first, in order.
        """
        states, nodes = np.divmod(frontier, self.width)
        stays = np.zeros((len(frontier), self.columns), np.uint64)
        fresh: list[Places] = []
        for node, edges in enumerate(self.automaton.edges):
            own = np.flatnonzero(nodes == node)
            for edge in edges if len(own) else ():
                self.poll()
                for found in self._taken(edge, node, own, states, stays):
                    refuse_too_many(sum(len(each.keys) for each in self.found) + len(found.keys))
                    self.found.append(replace(found, sources=found.sources + first))
                    fresh.append(distinct(found.keys[self.known[found.keys] < 0]))
        self.stays.append(stays)
        return distinct(np.concatenate(fresh)) if fresh else np.empty(0, np.int64)

    def _taken(
        self, edge: AutomatonEdge, node: int, own: Places, states: Places, stays: Words
    ) -> Iterator[_Edges]:
        """What an edge of the automaton gives from some places of a level."""
        kind = self.sets[edge.deferred]
        about = [(self.truth[each.predicate], each.held) for each in edge.truth]
        for where, held in about:
            if where.edges is None:
                own = own[where.states[states[own]] == held]
        still = own
        for where, held in about:
            if where.edges is not None:
                still = still[where.states[states[still]] == held]
        if edge.target == node:
            stays[still] |= self._met(edge.deferred)
        else:
            keys = states[still] * self.width + edge.target
            staying = len(self.base.takes) * len(self.sets) + kind
            yield _Edges(still, keys, np.full(len(still), staying, np.int32))
        for places, steps in self.base.outgoing(states[own]):
            for where, held in about:
                if where.edges is not None:
                    kept = where.edges[steps] == held
                    places, steps = places[kept], steps[kept]
            keys = self.base.targets[steps].astype(np.int64) * self.width + edge.target
            kinds = self.base.kinds[steps].astype(np.int32) * len(self.sets) + kind
            yield _Edges(own[places], keys, kinds)

    def _met(self, deferred: frozenset[int]) -> Words:
        """The promises that are not put off, and the last bit: that there is an edge."""
        words = np.zeros(self.columns, np.uint64)
        for promise in range(self.automaton.promises + 1):
            if promise not in deferred:
                bit = self.fair + promise
                words[bit // WORD] |= np.uint64(1 << bit % WORD)
        return words

    def graph(self) -> StateGraph:
        """The product as a graph.

        An edge from a node to itself is none of the graph. Instead, a promise that such an edge
        keeps counts as not enabled there: a behaviour that comes there may take the edge. The last
        demand is enabled where there is no such edge, so that no behaviour stops there.
        """
        none: Any = np.empty(0, np.int64)
        found = [_Edges(none, none, none), *self.found]
        sources = np.concatenate([each.sources for each in found])
        order = np.argsort(sources, kind="stable")
        keys = np.concatenate([each.keys for each in found])[order]
        kinds, there = numbered(np.concatenate([each.kinds for each in found])[order])
        size = self.levels[-1]
        starts = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=size))])
        enabled = self._met(frozenset()) & ~np.concatenate(self.stays)
        enabled[:, : self.base.enabled.shape[1]] |= self.base.enabled[self.states]
        promised = Constraint("weak", "promise", frozenset())
        more = (promised,) * (self.automaton.promises + 1)
        return StateGraph(
            np.array(self.levels, np.int64),
            starts.astype(np.int64),
            self.known[keys],
            kinds,
            self._takes(there),
            enabled,
            (*self.base.constraints, *more),
            {},
        )

    def _takes(self, kinds: list[int]) -> Words:
        """The demands that each kind of edge meets."""
        takes = np.zeros((max(1, len(kinds)), self.columns), np.uint64)
        sets = list(self.sets)
        for row, kind in zip(takes, kinds, strict=False):
            step, deferred = divmod(kind, len(sets))
            row |= self._met(sets[deferred])
            if step < len(self.base.takes):
                row[: self.base.takes.shape[1]] |= self.base.takes[step]
        return takes
