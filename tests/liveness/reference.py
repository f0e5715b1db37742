"""Liveness as its definition has it, by trying every set of states: slow, for small systems.

The states that a behaviour meets again and again are a set in which each can be reached from each;
a single state counts, as a behaviour may stay where it is. Which steps are taken again and again is
up to it, so it may as well take all within the set.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import chain, combinations, product

import networkx as nx

from tests.liveness.systems import System


def fails(system: System) -> bool:
    """Whether a fair behaviour of the system breaks its property."""
    return any(_breaks(system, recurring) for recurring in _recurring(system))


def neglects(system: System, enabled: Collection[int], taken: Collection[tuple[int, int]]) -> bool:
    """Whether a fair behaviour of the system is in the end for ever among states that have an
    abstract action enabled, and takes none of some steps.
    """
    return any(set(enabled) >= set(states) for states in _recurring(_cut(system, taken)))


def neglects_again(
    system: System, enabled: Collection[int], taken: Collection[tuple[int, int]]
) -> bool:
    """Whether one meets such states again and again, and in the end takes none of some steps."""
    return any(set(enabled) & set(states) for states in _recurring(_cut(system, taken)))


def _cut(system: System, taken: Collection[tuple[int, int]]) -> System:
    """The system without some steps; they are enabled still."""
    lost = {(a, n, b) for a, n, b in system.steps if (a, b) in taken}
    outside = {(a, n) for a, n, b in lost if a != b}
    return replace(system, steps=system.steps - lost, outside=system.outside | outside)


def _graph(system: System, states: frozenset[int]) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(states)
    graph.add_edges_from((a, b) for a, b in system.edges() if a in states and b in states)
    return graph


def _recurring(system: System) -> list[frozenset[int]]:
    """The sets of states that a fair behaviour can stay in, meeting each again and again."""
    sizes = range(1, system.size + 1)
    subsets = chain.from_iterable(combinations(range(system.size), n) for n in sizes)
    return [
        states
        for states in map(frozenset, subsets)
        if nx.is_strongly_connected(_graph(system, states))
        and fair(system, states, list(_graph(system, states).edges))
    ]


def fair(system: System, states: frozenset[int], edges: Collection[tuple[int, int]]) -> bool:
    """Whether meeting these states and taking these edges again and again is fair."""
    for constraint in system.fairness:
        has = [system.enabled(state, constraint) for state in states]
        owed = any(has) if constraint.strength == "strong" else all(has)
        if owed and not any(system.takes(a, b, constraint) for a, b in edges):
            return False
    return True


def _breaks(system: System, recurring: frozenset[int]) -> bool:
    """Whether a behaviour that comes to these states, and stays, breaks the property."""
    everything = frozenset(range(system.size))
    bad = everything - system.goal
    if system.role == "eventually_always":
        return bool(recurring & bad)
    if not recurring <= bad:
        return False
    if system.role == "always_eventually":
        return True
    begins = system.initial if system.role == "eventually" else system.cause
    within = _graph(system, bad)
    return any(nx.has_path(within, a, b) for a, b in product(begins & bad, recurring))


def fair_walk(system: System, walk: tuple[int, ...]) -> bool:
    """Whether going round a closed walk for ever is a fair behaviour of the system."""
    following = (*walk[1:], walk[0])
    edges = [(a, b) for a, b in zip(walk, following, strict=True) if a != b]
    assert set(edges) <= system.edges()
    return fair(system, frozenset(walk), edges)
