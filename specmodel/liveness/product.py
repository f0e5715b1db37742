"""Decides a temporal formula of any form: by the graph of states times an automaton of the formula.

A node of the product is a state with what the rest of the behaviour has to satisfy; its edges are
steps, and edges of the automaton while the state stays as it is. That no `<>` is put off for ever
is weak fairness of the product, which is judged like any graph of states.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from specmodel.behaviour.formulas import Constraint, Formula
from specmodel.liveness.graph import (
    WORD,
    Bools,
    Places,
    Poll,
    StateGraph,
    Words,
    bit_columns,
    kinds_of_edges,
    refuse_too_many,
)
from specmodel.liveness.judge import Behaviour, accepted
from specmodel.liveness.linear_time import Automaton, AutomatonEdge


class Truth(NamedTuple):
    """Where a predicate is true: of a state by `states`, of a step by `edges`.

    The predicate of a step has as `states` whether a step that changes nothing satisfies it.
    """

    states: Bools
    edges: Bools | None


def satisfying(
    graph: StateGraph,
    automaton: Automaton,
    truth: Mapping[Hashable, Truth],
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
    """Edges of the product: by numbers of nodes and keys of others, with the demands they meet."""

    sources: Places
    keys: Places
    takes: Words


class _Product:
    """The reachable nodes of a product, numbered by level. A node's key is its state's number times
    the number of nodes of the automaton, plus the node of the automaton."""

    def __init__(
        self, graph: StateGraph, automaton: Automaton, truth: Mapping[Hashable, Truth], poll: Poll
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
                    fresh.append(np.unique(found.keys[self.known[found.keys] < 0]))
        self.stays.append(stays)
        return np.unique(np.concatenate(fresh)) if fresh else np.empty(0, np.int64)

    def _taken(
        self, edge: AutomatonEdge, node: int, own: Places, states: Places, stays: Words
    ) -> Iterator[_Edges]:
        """What an edge of the automaton gives from some places of a level."""
        met = self._met(edge)
        about = [(self.truth[each.predicate], each.held) for each in edge.truth]
        for where, held in about:
            if where.edges is None:
                own = own[where.states[states[own]] == held]
        still = own
        for where, held in about:
            if where.edges is not None:
                still = still[where.states[states[still]] == held]
        if edge.target == node:
            stays[still] |= met
        else:
            keys = states[still] * self.width + edge.target
            yield _Edges(still, keys, np.tile(met, (len(still), 1)))
        for places, steps in self.base.outgoing(states[own]):
            for where, held in about:
                if where.edges is not None:
                    kept = where.edges[steps] == held
                    places, steps = places[kept], steps[kept]
            keys = self.base.targets[steps].astype(np.int64) * self.width + edge.target
            takes = np.tile(met, (len(steps), 1))
            takes[:, : self.base.takes.shape[1]] |= self.base.takes[self.base.kinds[steps]]
            yield _Edges(own[places], keys, takes)

    def _met(self, edge: AutomatonEdge) -> Words:
        """The promises that an edge does not put off, and the last bit: that there is an edge."""
        words = np.zeros(self.columns, np.uint64)
        for promise in range(self.automaton.promises + 1):
            if promise not in edge.deferred:
                bit = self.fair + promise
                words[bit // WORD] |= np.uint64(1 << bit % WORD)
        return words

    def graph(self) -> StateGraph:
        """The product as a graph.

        An edge from a node to itself is none of the graph. Instead, a promise that such an edge
        keeps counts as not enabled there: a behaviour that comes there may take the edge. The last
        demand is enabled where there is no such edge, so that no behaviour stops there.
        """
        nothing = _Edges(
            np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, self.columns), np.uint64)
        )
        sources = np.concatenate([each.sources for each in (nothing, *self.found)])
        order = np.argsort(sources, kind="stable")
        keys = np.concatenate([each.keys for each in (nothing, *self.found)])[order]
        taken = np.concatenate([each.takes for each in (nothing, *self.found)])[order]
        kinds, takes = kinds_of_edges(taken)
        size = self.levels[-1]
        starts = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=size))])
        promises = np.zeros(self.columns, np.uint64)
        for bit in range(self.fair, self.fair + self.automaton.promises + 1):
            promises[bit // WORD] |= np.uint64(1 << bit % WORD)
        enabled = promises & ~np.concatenate(self.stays)
        enabled[:, : self.base.enabled.shape[1]] |= self.base.enabled[self.states]
        promised = Constraint("weak", "promise", frozenset())
        more = (promised,) * (self.automaton.promises + 1)
        return StateGraph(
            np.array(self.levels, np.int64),
            starts.astype(np.int64),
            self.known[keys],
            kinds,
            takes,
            enabled,
            (*self.base.constraints, *more),
            {},
        )
