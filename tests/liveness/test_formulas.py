"""Temporal formulas of any form, against their meaning on the behaviours of small systems."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from specmodel.liveness.judge import Behaviour, judge
from specmodel.liveness.linear_time import (
    MOST_WAYS,
    AllOf,
    Always,
    AnyOf,
    Atomic,
    Automaton,
    Eventually,
    LinearFormula,
    TooManyWays,
    negated,
    satisfied,
)
from specmodel.liveness.product import TruthTable, satisfying
from tests.liveness.reference import fair_walk
from tests.liveness.systems import System, formula, graph_of, systems

STATES = ("p", "q")
STEP = "a"
"""Predicates of a state are its being in `goal` and `cause`; of a step, that binding 0 makes it."""

LONGEST_WAY = 4
LONGEST_CYCLE = 5

Lasso = tuple[tuple[int, ...], int]
"""States, and the place that the last leads back to."""


def formulas() -> st.SearchStrategy[LinearFormula]:
    """Formulas over two predicates of states and one of steps, which says nothing of stuttering."""
    step = st.sampled_from([Eventually(Atomic(STEP, True)), Always(Atomic(STEP, False))])
    leaves = st.builds(Atomic, st.sampled_from(STATES), st.booleans()) | step
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(AllOf, st.tuples(inner, inner)),
            st.builds(AnyOf, st.tuples(inner, inner)),
            st.builds(Always, inner),
            st.builds(Eventually, inner),
        ),
        max_leaves=5,
    )


def holds(system: System, claim: LinearFormula, lasso: Lasso) -> bool:
    """Whether a behaviour satisfies a formula: by its definition, place after place."""
    states, loop = lasso
    after = (*states[1:], states[loop])

    def within(place: int) -> range:
        return range(min(place, loop), len(states))

    def true(part: LinearFormula, place: int) -> bool:
        match part:
            case Atomic(name, held):
                return held == _truth(system, str(name), states[place], after[place])
            case AllOf(parts):
                return all(true(each, place) for each in parts)
            case AnyOf(parts):
                return any(true(each, place) for each in parts)
            case Always(inner):
                return all(true(inner, later) for later in within(place))
            case Eventually(inner):
                return any(true(inner, later) for later in within(place))

    return true(claim, 0)


def _truth(system: System, name: str, before: int, after: int) -> bool:
    if name == STEP:
        return before != after and (before, 0, after) in system.steps
    return before in (system.goal if name == "p" else system.cause)


def decided(system: System, claim: LinearFormula) -> Behaviour | None:
    """The behaviour that is found to violate a formula."""
    graph = graph_of(system, formula("eventually"))
    sources = np.repeat(np.arange(graph.size), np.diff(graph.starts))
    ends = list(zip(sources.tolist(), graph.targets.tolist(), strict=True))
    states = {
        name: np.array([_truth(system, name, s, s) for s in range(graph.size)], np.bool_)
        for name in (*STATES, STEP)
    }
    edges = np.array([_truth(system, STEP, *pair) for pair in ends], np.bool_)
    truth: dict[Any, TruthTable] = {
        name: TruthTable(held, edges if name == STEP else None) for name, held in states.items()
    }
    automaton = Automaton(negated(claim))
    return satisfying(graph, automaton, truth, formula("eventually"), lambda: None)


def behaviours(system: System) -> Iterator[Lasso]:
    """The fair behaviours with a short way and a short cycle."""
    ways = [(state,) for state in sorted(system.initial)]
    while ways:
        way = ways.pop()
        for cycle in _cycles(system, way[-1]):
            if fair_walk(system, cycle):
                yield (*way[:-1], *cycle), len(way) - 1
        if len(way) < LONGEST_WAY:
            ways += [(*way, b) for a, b in sorted(system.edges()) if a == way[-1]]


def _cycles(system: System, start: int) -> Iterator[tuple[int, ...]]:
    yield (start,)
    walks: list[tuple[int, ...]] = [(start,)]
    while walks:
        walk = walks.pop()
        for before, after in sorted(system.edges()):
            if before == walk[-1]:
                if after == start:
                    yield walk
                if len(walk) < LONGEST_CYCLE:
                    walks.append((*walk, after))


def _compare(system: System, claim: LinearFormula) -> None:
    found = decided(system, claim)
    event("holds" if found is None else "fails")
    if found is None:
        assert not [each for each in behaviours(system) if not holds(system, claim, each)]
        return
    states = found.states
    assert states[0] in system.initial
    assert set(pairwise(states)) <= system.edges()
    assert fair_walk(system, states[found.loop :])
    assert not holds(system, claim, (states, found.loop))


@settings(max_examples=150, deadline=None)
@given(systems(most=4), formulas())
def test_verdicts_are_those_of_the_meaning(system: System, claim: LinearFormula) -> None:
    """What is found violates the formula and is fair; if nothing is, no short behaviour does."""
    _compare(system, claim)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(systems(most=4), formulas())
def test_verdicts_of_many_formulas(system: System, claim: LinearFormula) -> None:
    """The same, on many more."""
    _compare(system, claim)


OF_ROLES: dict[str, LinearFormula] = {
    "eventually": Eventually(Atomic("p", True)),
    "always_eventually": Always(Eventually(Atomic("p", True))),
    "eventually_always": Eventually(Always(Atomic("p", True))),
    "leads_to": Always(AnyOf((Atomic("q", False), Eventually(Atomic("p", True))))),
}


@settings(max_examples=200, deadline=None)
@given(systems())
def test_verdicts_are_those_of_the_roles(system: System) -> None:
    """The forms that have a decision of their own are decided alike."""
    wanted = formula(system.role)
    own = judge(graph_of(system, wanted), [wanted], lambda: None)
    assert (decided(system, OF_ROLES[system.role]) is None) == (own is None)


@settings(max_examples=200, deadline=None)
@given(systems(most=4), formulas(), st.integers(0, 50))
def test_truth_in_a_behaviour(system: System, claim: LinearFormula, which: int) -> None:
    """`satisfied` is the meaning, and one of a formula and its negation is true."""
    some = [each for each, _ in zip(behaviours(system), range(which + 1), strict=False)]
    assume(some)
    states, loop = some[-1]
    after = (*states[1:], states[loop])
    truth: dict[Any, list[bool]] = {
        name: [_truth(system, name, *pair) for pair in zip(states, after, strict=True)]
        for name in (*STATES, STEP)
    }
    size = len(states)
    assert satisfied(claim, truth, size, loop)[0] == holds(system, claim, (states, loop))
    assert satisfied(negated(claim), truth, size, loop)[0] != holds(system, claim, (states, loop))


@pytest.mark.parametrize(
    ("claim", "nodes"),
    [
        (Always(Eventually(Atomic("p", True))), 1),
        (Eventually(Always(Atomic("p", True))), 2),
        (AllOf(tuple(Always(Eventually(Atomic(i, True))) for i in range(12))), 2),
    ],
    ids=["recurring", "settling", "twelve recurring"],
)
def test_automata_are_small(claim: LinearFormula, nodes: int) -> None:
    """What recurs needs no node of its own, so that conjunctions of it stay small."""
    assert len(Automaton(claim).edges) <= nodes


def test_a_formula_that_is_too_large_is_refused() -> None:
    """The automaton of many independent `<>` would have a node for each subset of them."""
    parts = tuple(Eventually(Atomic(number, True)) for number in range(12))
    with pytest.raises(TooManyWays, match=f"{MOST_WAYS:,}"):
        Automaton(AllOf(parts))
