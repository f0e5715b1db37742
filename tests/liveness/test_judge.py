"""The decision of temporal properties against their definition, on thousands of small systems."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import event, example, given, settings

from specmodel.behaviour.formulas import Constraint
from specmodel.liveness.judge import Behaviour, judge
from tests.liveness.reference import fails, fair_walk
from tests.liveness.systems import System, formula, graph_of, systems


def judged(system: System) -> Behaviour | None:
    wanted = formula(system.role)
    return judge(graph_of(system, wanted), [wanted], lambda: None)


@settings(max_examples=200, deadline=None)
@given(systems())
def test_verdicts_are_those_of_the_definition(system: System) -> None:
    """Weak and strong fairness, all four kinds of properties, steps that leave the constraints."""
    _compare(system)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None)
@given(systems(most=7))
def test_verdicts_of_many_systems(system: System) -> None:
    """The same, on many more and larger ones."""
    _compare(system)


def _compare(system: System) -> None:
    found = judged(system)
    event(f"{system.role}: {'holds' if found is None else 'fails'}")
    assert (found is not None) == fails(system)


OWED_ON_THE_WAY_BACK = System(
    size=5,
    initial=frozenset({0}),
    steps=frozenset(
        {(0, 0, 1), (1, 0, 3), (1, 2, 2), (2, 0, 4), (2, 1, 1)}
        | {(4, 0, 0), (4, 0, 1), (4, 0, 2), (4, 0, 4)}
    ),
    outside=frozenset(),
    fairness=(
        Constraint("weak", "some", frozenset({0})),
        Constraint("strong", "some", frozenset({1})),
    ),
    goal=frozenset({3}),
    cause=frozenset(),
    role="eventually",
)
"""A cycle that closes by way of a state with a strong constraint enabled, which it then owes."""


@settings(max_examples=150, deadline=None)
@example(OWED_ON_THE_WAY_BACK)
@given(systems(most=5))
def test_counterexamples_are_behaviours(system: System) -> None:
    """Every step is an edge, the cycle is fair and breaks the property, the way there too."""
    _assert_behaviour(system)


@pytest.mark.long
@settings(max_examples=5_000, deadline=None)
@given(systems(most=5))
def test_counterexamples_of_many_systems(system: System) -> None:
    """The same, on many more."""
    _assert_behaviour(system)


def _assert_behaviour(system: System) -> None:
    found = judged(system)
    if found is None:
        return
    states, cycle = found.states, found.states[found.loop :]
    assert states[0] in system.initial
    assert set(pairwise(states)) <= system.edges()
    assert fair_walk(system, cycle)
    good = system.goal
    if system.role == "eventually":
        assert not good & set(states)
    elif system.role == "leads_to":
        caused = [i for i, s in enumerate(states) if s in system.cause and s not in good]
        assert any(not good & {*states[i:], *cycle} for i in caused)
    elif system.role == "always_eventually":
        assert not good & set(cycle)
    else:
        assert not set(cycle) <= good


@settings(max_examples=150, deadline=None)
@given(systems(most=5))
def test_no_smaller_cycle_breaks_the_property(system: System) -> None:
    """The smallest cycle is the smallest of all fair ones, and the way to it is a shortest one."""
    _assert_smallest(system)


@pytest.mark.long
@settings(max_examples=5_000, deadline=None)
@given(systems(most=5))
def test_no_smaller_cycle_of_many_systems(system: System) -> None:
    """The same, on many more."""
    _assert_smallest(system)


def _assert_smallest(system: System) -> None:
    found = judged(system)
    if found is None:
        return
    assert found.smallest
    cycle = found.states[found.loop :]
    event(f"cycle of {len(cycle)}")
    bad = set(range(system.size)) - system.goal
    within = bad if system.role != "eventually_always" else set(range(system.size))
    for walk in _walks(system, within, len(cycle) - 1):
        if fair_walk(system, walk) and (system.role != "eventually_always" or bad & set(walk)):
            assert not _reached(system, walk[0])
    if system.role in ("always_eventually", "eventually_always"):
        graph = nx.DiGraph(system.edges())
        graph.add_nodes_from(range(system.size))
        nearest = nx.multi_source_dijkstra_path_length(graph, system.initial)
        assert found.loop == min(nearest[state] for state in cycle)


def _walks(system: System, within: set[int], most: int) -> list[tuple[int, ...]]:
    """The closed walks of up to so many states; a walk of one state stays there."""
    edges = {(a, b) for a, b in system.edges() if a in within and b in within}
    walks = [(state,) for state in sorted(within)]
    closed = list(walks) if most > 0 else []
    for _ in range(1, most):
        walks = [(*w, b) for w in walks for a, b in edges if a == w[-1]]
        closed += [w for w in walks if (w[-1], w[0]) in edges]
    return closed


def _reached(system: System, state: int) -> bool:
    """Whether a behaviour that breaks the property may come to a state (and stay there)."""
    everything = set(range(system.size))
    bad = everything - system.goal
    if system.role in ("always_eventually", "eventually_always"):
        return True
    begins = (system.initial if system.role == "eventually" else system.cause) & bad
    graph = nx.DiGraph()
    graph.add_nodes_from(bad)
    graph.add_edges_from((a, b) for a, b in system.edges() if a in bad and b in bad)
    return any(nx.has_path(graph, a, state) for a in begins)
