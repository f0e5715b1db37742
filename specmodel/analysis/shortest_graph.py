"""The graph of all shortest ways to a finding: what they have in common, and where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from specmodel.analysis.shortest import ShortestRuns, Words
from specmodel.design import Design
from specmodel.results import DEADLOCK, Step, Trace

MOST_SHAPES = 64
"""Shapes kept of the ways to one state; further ones are left out."""

Shape = tuple[tuple[str, int], ...]
"""How often each action happens: pairs in the order of the names."""


@dataclass(frozen=True)
class Edge:
    """A step from a state of a level, by its place there, to one of the next."""

    level: int
    source: int
    target: int
    step: Step


@dataclass(frozen=True)
class ShortestGraph:
    """All the shortest ways of a design to a finding: a violation, or what meets a reachable one.

    `levels` has the states that they lead through, initial ones first, each level in canonical
    order; `edges` the steps between them, by level, source and binding. A state is in one level
    only, but that the step which breaks a transition property may lead anywhere. `ways` counts the
    sequences of steps, `routes` those of states: several bindings may lead from one state to the
    next.
    """

    design: str
    finding: str
    kind: str
    levels: tuple[tuple[Any, ...], ...]
    edges: tuple[Edge, ...]
    ways: int
    routes: int

    @property
    def length(self) -> int:
        """States of each way, the initial one included."""
        return len(self.levels)

    @property
    def states(self) -> int:
        """States in all levels together."""
        return sum(map(len, self.levels))

    def after(self, level: int) -> Iterator[Edge]:
        """The steps that lead on from a level."""
        return (edge for edge in self.edges if edge.level == level)

    def by_shape(self) -> dict[Shape, Trace]:
        """For each shape that ways have, the first of them, in canonical order.

        Where the ways to one state have more than MOST_SHAPES shapes, not all are in it.
        """
        here: list[dict[Shape, _Way]] = [{(): _Way(i, ())} for i in range(len(self.levels[0]))]
        for level in range(self.length - 1):
            further: list[dict[Shape, _Way]] = [{} for _ in self.levels[level + 1]]
            for edge in self.after(level):
                held = further[edge.target]
                for shape, way in here[edge.source].items():
                    grown = _grown(shape, edge.step.action)
                    if grown not in held and len(held) < MOST_SHAPES:
                        held[grown] = _Way(way.initial, (*way.edges, edge))
            here = further
        found: dict[Shape, Trace] = {}
        for held in here:
            for shape, way in held.items():
                found.setdefault(shape, self._trace(way))
        return found

    def _trace(self, way: _Way) -> Trace:
        states = [self.levels[0][way.initial]]
        states += [self.levels[edge.level + 1][edge.target] for edge in way.edges]
        return Trace(tuple(states), tuple(edge.step for edge in way.edges))


@dataclass(frozen=True)
class _Way:
    initial: int
    edges: tuple[Edge, ...]


def shape_of(steps: Sequence[Step]) -> Shape:
    """How often each action happens among steps."""
    shape: Shape = ()
    for step in steps:
        shape = _grown(shape, step.action)
    return shape


def _grown(shape: Shape, action: str) -> Shape:
    counts = dict(shape)
    counts[action] = counts.get(action, 0) + 1
    return tuple(sorted(counts.items()))


def shortest_graph(design: Design, name: str, length: int, most: int) -> ShortestGraph:
    """The graph of the ways of `length` states, which no way is shorter than, to a finding.

    Raises TooManyStatesError if there are more than `most` states up to it.
    """
    runs = ShortestRuns(design, name, length, most)
    levels = [sorted(level) for level in runs.levels]
    found: list[tuple[int, int, int, Words]] = []
    for level, states in enumerate(levels[: runs.steps]):
        for source, state in enumerate(states):
            found += [(level, source, edge.binding, edge.to) for edge in runs.edges(level, state)]
    if runs.steps == len(levels):
        levels.append(sorted({to for level, _, _, to in found if level == len(levels) - 1}))
    places = [{state: i for i, state in enumerate(states)} for states in levels]
    step = runs.interpreter.step
    edges = tuple(
        Edge(level, source, places[level + 1][to], step(binding))
        for level, source, binding, to in found
    )
    return ShortestGraph(
        design=design.name,
        finding=name,
        kind=runs.rule.role if runs.rule else DEADLOCK,
        levels=tuple(tuple(map(runs.layout.unpack, states)) for states in levels),
        edges=edges,
        ways=_ways([(e.level, e.source, e.target) for e in edges], len(levels[0])),
        routes=_ways(sorted({(e.level, e.source, e.target) for e in edges}), len(levels[0])),
    )


def _ways(edges: Sequence[tuple[int, int, int]], initial: int) -> int:
    """How many paths there are over edges given level by level, from so many initial states."""
    counts = {(0, i): 1 for i in range(initial)}
    last = 0
    for level, source, target in edges:
        to = (level + 1, target)
        counts[to] = counts.get(to, 0) + counts[level, source]
        last = max(last, level + 1)
    return sum(count for (level, _), count in counts.items() if level == last)
