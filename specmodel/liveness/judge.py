"""Decides a temporal property on a state graph, and finds a behaviour that violates it.

A behaviour that violates a formula goes to a state where the violation begins, and on to a fair
cycle among the states, and by the edges, that keep it violated.

A behaviour that violates `eventually` never leaves the states where the property is false. One that
violates `always_eventually` enters them and stays. For `leads_to`, it stays from a state on in
which the antecedent is true. One that violates `eventually_always` comes back to them again and
again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from specmodel.behaviour.formulas import Formula
from specmodel.dataclass import dataclass
from specmodel.liveness.cycles import smallest_cycle
from specmodel.liveness.demands import Demands, fair_components
from specmodel.liveness.graph import Bools, Poll, StateGraph
from specmodel.liveness.shortest_paths import NEVER, ShortestPaths


@dataclass(frozen=True)
class Behaviour:
    """An infinite behaviour, as states of a graph: the last leads back to that at `loop`.

    If `loop` is the last, it stays there. `formula` is the violated formula; `smallest` says that
    no violating cycle has fewer states.
    """

    formula: Formula
    states: tuple[int, ...]
    loop: int
    smallest: bool


def judge(graph: StateGraph, wanted: Sequence[Formula], poll: Poll) -> Behaviour | None:
    """A behaviour that violates the first of some formulas that does not hold; None if all hold."""
    if graph.size == 0:
        return None  # no initial state is within the constraints
    for formula in wanted:
        found = _failing(graph, formula, poll)
        if found is not None:
            return found
    return None


def neglecting(
    graph: StateGraph, formula: Formula, enabled: Bools, taken: Bools, poll: Poll
) -> Behaviour | None:
    """A behaviour that violates the fairness of an abstract design; None if there is none.

    `enabled` are the states for whose abstract state the action is enabled, `taken` the edges that
    take it. The behaviour ends in a cycle without such edges: if the fairness is weak, among such
    states; if it is strong, with one of them.
    """
    assert formula.fair is not None
    if graph.size == 0:
        return None
    everywhere = np.ones_like(enabled)
    within, visited = (everywhere, enabled) if formula.fair.strong else (enabled, None)
    sought = _Violation(within, within, visited)
    return _violating(graph, graph.without(taken), formula, sought, poll)


def accepted(graph: StateGraph, formula: Formula, poll: Poll) -> Behaviour | None:
    """A fair behaviour of a graph all of whose fair behaviours violate a formula; None without."""
    everywhere = np.ones(graph.size, np.bool_)
    return _violating(graph, graph, formula, _Violation(everywhere, everywhere), poll)


def _failing(graph: StateGraph, formula: Formula, poll: Poll) -> Behaviour | None:
    return _violating(graph, graph, formula, _sought(graph, formula), poll)


def _violating(
    graph: StateGraph, cyclic: StateGraph, formula: Formula, sought: _Violation, poll: Poll
) -> Behaviour | None:
    """The behaviour that is sought, or None; its cycle is one of the graph `cyclic`."""
    ways = ShortestPaths.from_seeds(graph, sought.seeds, sought.within, poll)
    reached = ways.distance != NEVER
    demands = Demands.of(graph, sought.visited)
    stops = np.flatnonzero(reached & demands.none_enabled())
    if len(stops):
        nearest = int(stops[np.argmin(ways.distance[stops])])
        states = ways.to(nearest)
        return Behaviour(formula, tuple(states), len(states) - 1, True)
    component = fair_components(cyclic, demands, reached, poll)
    if not (component >= 0).any():
        return None
    cycle = smallest_cycle(cyclic, demands, component, ways, poll)
    prefix = ways.to(cycle.states[0])
    return Behaviour(formula, (*prefix, *cycle.states[1:]), len(prefix) - 1, cycle.smallest)


@dataclass(frozen=True)
class _Violation:
    """The nodes where a behaviour begins to violate a property, stays, and returns to."""

    seeds: Bools
    within: Bools
    visited: Bools | None = None


def _sought(graph: StateGraph, formula: Formula) -> _Violation:
    """The behaviours that violate a temporal property."""
    bad = ~graph.truth[formula.goal]
    role = formula.rule.role
    if role == "eventually":
        seeds = np.zeros_like(bad)
        seeds[: graph.levels[1]] = bad[: graph.levels[1]]
        return _Violation(seeds, bad)
    if role == "leads_to":
        assert formula.cause is not None
        return _Violation(bad & graph.truth[formula.cause], bad)
    if role == "always_eventually":
        return _Violation(bad, bad)
    assert role == "eventually_always", role
    everywhere = np.ones_like(bad)
    return _Violation(everywhere, everywhere, bad)
