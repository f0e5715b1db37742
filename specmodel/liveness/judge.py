"""Decides a temporal property on a state graph, and finds a behaviour that violates it.

A behaviour that violates `eventually` never leaves the states where the property is false. One that
violates `always_eventually` enters them and stays. For `leads_to`, it stays from a state on in
which the antecedent is true. One that violates `eventually_always` comes back to them again and
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.behaviour.formulas import Formula
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


def _failing(graph: StateGraph, formula: Formula, poll: Poll) -> Behaviour | None:
    seeds, within, visited = _sought(graph, formula)
    ways = ShortestPaths.from_seeds(graph, seeds, within, poll)
    reached = ways.distance != NEVER
    demands = Demands.of(graph, visited)
    stops = np.flatnonzero(reached & demands.none_enabled())
    if len(stops):
        nearest = int(stops[np.argmin(ways.distance[stops])])
        states = ways.to(nearest)
        return Behaviour(formula, tuple(states), len(states) - 1, True)
    component = fair_components(graph, demands, reached, poll)
    if not (component >= 0).any():
        return None
    cycle = smallest_cycle(graph, demands, component, ways, poll)
    prefix = ways.to(cycle.states[0])
    return Behaviour(formula, (*prefix, *cycle.states[1:]), len(prefix) - 1, cycle.smallest)


def _sought(graph: StateGraph, formula: Formula) -> tuple[Bools, Bools, Bools | None]:
    """Where a violating behaviour begins to violate, where it stays, and what it comes back to."""
    bad = ~graph.truth[formula.goal]
    role = formula.rule.role
    if role == "eventually":
        seeds = np.zeros_like(bad)
        seeds[: graph.levels[1]] = bad[: graph.levels[1]]
        return seeds, bad, None
    if role == "leads_to":
        assert formula.cause is not None
        return bad & graph.truth[formula.cause], bad, None
    if role == "always_eventually":
        return bad, bad, None
    assert role == "eventually_always", role
    everywhere = np.ones_like(bad)
    return everywhere, everywhere, bad
