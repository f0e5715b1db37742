"""Small random systems with fairness, as Hypothesis draws them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from specmodel.behaviour.formulas import Constraint, Formula
from specmodel.lang import always_eventually, eventually, eventually_always, leads_to
from specmodel.lang.python_rule import PythonRule
from specmodel.liveness.graph import StateGraph, bit_columns, kinds_of
from specmodel.model.model import LIVENESS

ROLES = tuple(role for role in LIVENESS if role != "refinement")
"""The roles of properties with a goal."""


@dataclass(frozen=True)
class System:
    """States 0, 1, ..., steps of numbered bindings between them, fairness, and a property.

    `outside` are bindings that a state has enabled by a step that leaves the constraints.
    """

    size: int
    initial: frozenset[int]
    steps: frozenset[tuple[int, int, int]]
    outside: frozenset[tuple[int, int]]
    fairness: tuple[Constraint, ...]
    goal: frozenset[int]
    cause: frozenset[int]
    role: str

    def enabled(self, state: int, constraint: Constraint) -> bool:
        """Whether a step from the state takes the constraint and changes something."""
        inside = any(a == state and a != b and n in constraint.bindings for a, n, b in self.steps)
        return inside or any(a == state and n in constraint.bindings for a, n in self.outside)

    def takes(self, before: int, after: int, constraint: Constraint) -> bool:
        """Whether the step between two states is one that takes the constraint."""
        return before != after and any(
            (a, b) == (before, after) and n in constraint.bindings for a, n, b in self.steps
        )

    def edges(self) -> set[tuple[int, int]]:
        """The steps that change something."""
        return {(a, b) for a, _, b in self.steps if a != b}


@st.composite
def systems(draw: st.DrawFn, most: int = 6, bindings: int = 4) -> System:
    """A system of which all states are reachable, numbered by level as an engine does."""
    size = draw(st.integers(1, most))
    state, binding = st.integers(0, size - 1), st.integers(0, bindings - 1)
    steps = draw(
        st.frozensets(st.tuples(state, binding, state), min_size=2 * size - 1, max_size=4 * size)
    )
    starts = draw(st.frozensets(state, min_size=1, max_size=2))
    order = _by_level(starts, {(a, b) for a, _, b in steps})
    new = {old: i for i, old in enumerate(order)}
    constraint = st.builds(
        Constraint,
        st.sampled_from(["weak", "strong"]),
        st.just("some"),
        st.frozensets(binding, min_size=1, max_size=2),
    )
    fairness = draw(st.lists(constraint, max_size=4))
    if draw(st.booleans()):  # nothing stops while it can move: a cycle has to have steps
        fairness.append(Constraint("weak", "any", frozenset(range(bindings))))
    states = st.frozensets(st.integers(0, len(order) - 1), max_size=len(order) // 2)
    return System(
        len(order),
        frozenset(new[s] for s in starts),
        frozenset((new[a], n, new[b]) for a, n, b in steps if a in new),
        draw(st.frozensets(st.tuples(st.integers(0, len(order) - 1), binding), max_size=1)),
        tuple(fairness),
        draw(states),
        draw(states),
        draw(st.sampled_from(ROLES)),
    )


def _by_level(starts: frozenset[int], edges: set[tuple[int, int]]) -> list[int]:
    order, level = sorted(starts), sorted(starts)
    while level:
        level = sorted({b for a, b in edges if a in level} - set(order))
        order += level
    return order


def formula(role: str) -> Formula:
    """A formula of a role; what it is about is told by the graph that goes with it."""

    def when(state: int) -> bool:
        raise NotImplementedError

    def goal(state: int) -> bool:
        raise NotImplementedError

    marks: dict[str, Callable[[Callable[[int], bool]], Callable[[int], bool]]] = {
        "eventually": eventually,
        "always_eventually": always_eventually,
        "eventually_always": eventually_always,
        "leads_to": leads_to(when=when),
    }
    return Formula(PythonRule(marks[role](goal), role), ())


def graph_of(system: System, wanted: Formula, bindings: int = 4) -> StateGraph:
    """The graph that an engine would give for a system."""
    kinds, takes = kinds_of(system.fairness, bindings)
    enabled = np.zeros((system.size, bit_columns(len(system.fairness))), np.uint64)
    edges = sorted((a, n, b) for a, n, b in system.steps if a != b)
    for source, number in [*((a, n) for a, n, _ in edges), *system.outside]:
        enabled[source] |= takes[kinds[number]]
    counts = np.bincount([a for a, _, _ in edges], minlength=system.size)
    truth = {wanted.goal: _mask(system.goal, system.size)}
    if wanted.cause is not None:
        truth[wanted.cause] = _mask(system.cause, system.size)
    return StateGraph(
        levels=np.array(_levels(system), np.int64),
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        targets=np.array([b for _, _, b in edges], np.int32),
        kinds=np.array([kinds[n] for _, n, _ in edges], np.uint16),
        takes=takes,
        enabled=enabled,
        constraints=system.fairness,
        truth=truth,
    )


def _mask(states: frozenset[int], size: int) -> np.ndarray:
    return np.array([s in states for s in range(size)], np.bool_)


def _levels(system: System) -> list[int]:
    """Where each level begins."""
    seen, level, found = set(system.initial), set(system.initial), [0]
    while level:
        found.append(len(seen))
        level = {b for a, b in system.edges() if a in level} - seen
        seen |= level
    return found
