"""The graph of all shortest ways to a finding.

Level by level from the initial states with the compiled kernel, then back from the states with the
finding: the states that remain are those on some shortest way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from specmodel.analysis.statespace import CompiledSteps, Words
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.kernel.context import DEADLOCK as STUCK
from specmodel.kernel.context import FIRST_PROPERTY
from specmodel.machine.words import LANES
from specmodel.results import DEADLOCK, Step, Trace

BLOCK = 1 << 12

MOST_SHAPES = 64
"""The greatest number of shapes kept for the ways to one state."""

MOST_TOLD = 2_000
"""The most steps of a graph whose states are told in the notation of another model."""

Shape = tuple[tuple[str, int], ...]
"""How often each action happens: pairs in the order of the names."""

_Way = tuple[int, tuple["ShortestEdge", ...]]
"""The place of an initial state, and edges from it."""


class TooManyStatesError(Exception):
    """There are more states than the caller allows."""


@dataclass(frozen=True)
class ShortestEdge:
    """A step from a state of a level, by its place there, to one of the next."""

    level: int
    source: int
    target: int
    step: Step


@dataclass(frozen=True)
class ShortestGraph:
    """All shortest ways of a design to a finding: a violation, or a state that meets a reachable
    property.

    `levels` has the states on the ways, initial ones first, each level in canonical order; `edges`
    the steps between them, by level, source and binding. A state is in one level only, except that
    a step that violates a transition property may lead to any level. `ways` counts the sequences of
    steps, `routes` those of states: several bindings may lead from one state to the next.
    """

    design: str
    finding: str
    kind: str
    levels: tuple[tuple[Any, ...], ...]
    edges: tuple[ShortestEdge, ...]
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

    def after(self, level: int) -> Sequence[ShortestEdge]:
        """The steps from the states of a level."""
        first, end = (bisect_left(self.edges, n, key=lambda e: e.level) for n in (level, level + 1))
        return self.edges[first:end]

    def trace(self, initial: int, edges: Sequence[ShortestEdge]) -> Trace:
        """The way from an initial state, by its place, along edges."""
        states = [self.levels[0][initial]]
        states += [self.levels[edge.level + 1][edge.target] for edge in edges]
        return Trace(tuple(states), tuple(edge.step for edge in edges))

    def by_shape(self) -> dict[Shape, Trace]:
        """For each shape of the ways, the first way in canonical order.

        If the ways to one state have more than MOST_SHAPES shapes, some are missing.
        """
        here: list[dict[Shape, _Way]] = [{(): (i, ())} for i in range(len(self.levels[0]))]
        for level in range(self.length - 1):
            further: list[dict[Shape, _Way]] = [{} for _ in self.levels[level + 1]]
            for edge in self.after(level):
                held = further[edge.target]
                for shape, (initial, edges) in here[edge.source].items():
                    grown = _grown(shape, edge.step.action)
                    if grown not in held and len(held) < MOST_SHAPES:
                        held[grown] = initial, (*edges, edge)
            here = further
        found: dict[Shape, Trace] = {}
        for held in here:
            for shape, way in held.items():
                found.setdefault(shape, self.trace(*way))
        return found


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
    """The graph of the shortest ways, of `length` states each, to a finding.

    Raises TooManyStatesError if there are more than `most` states up to it.
    """
    search = _ShortestSearch(design, name, length)
    levels = [sorted(level) for level in search.levels(length, most)]
    last = len(levels) - 1
    found: list[tuple[int, int, int, Words]] = []
    for level, states in enumerate(levels if search.stepped else levels[:last]):
        following = None if level == last else set(levels[level + 1])
        for source, state in enumerate(states):
            found += [(level, source, *edge) for edge in search.edges(state, following)]
    if search.stepped:
        levels.append(sorted({to for level, _, _, to in found if level == last}))
    places = [{state: i for i, state in enumerate(states)} for states in levels]
    step = search.interpreter.step
    edges = tuple(
        ShortestEdge(level, source, places[level + 1][to], step(binding))
        for level, source, binding, to in found
    )
    return ShortestGraph(
        design=design.name,
        finding=name,
        kind=search.rule.role if search.rule else DEADLOCK,
        levels=tuple(tuple(map(search.layout.unpack, states)) for states in levels),
        edges=edges,
        ways=_ways([(e.level, e.source, e.target) for e in edges], len(levels[0])),
        routes=_ways(sorted({(e.level, e.source, e.target) for e in edges}), len(levels[0])),
    )


def told_graph(graph: ShortestGraph, told: Callable[[Trace], Trace]) -> ShortestGraph | None:
    """A graph with the states and steps of the model that traces are told of.

    None if it has more than MOST_TOLD steps.
    """
    if len(graph.edges) > MOST_TOLD:
        return None
    levels = tuple(
        tuple(told(Trace((state,), ())).states[0] for state in level) for level in graph.levels
    )
    edges: list[ShortestEdge] = []
    for edge in graph.edges:
        ends = graph.levels[edge.level][edge.source], graph.levels[edge.level + 1][edge.target]
        edges.append(replace(edge, step=told(Trace(ends, (edge.step,))).steps[0]))
    return replace(graph, levels=levels, edges=tuple(edges))


def _ways(edges: Sequence[tuple[int, int, int]], initial: int) -> int:
    """The number of paths along edges given level by level, from this number of initial states."""
    counts = {(0, i): 1 for i in range(initial)}
    last = 0
    for level, source, target in edges:
        to = (level + 1, target)
        counts[to] = counts.get(to, 0) + counts[level, source]
        last = max(last, level + 1)
    return sum(count for (level, _), count in counts.items() if level == last)


class _ShortestSearch(CompiledSteps):
    """Finds the states on the shortest ways to a violated or met property, or to a deadlock."""

    def __init__(self, design: Design, name: str, length: int) -> None:
        rules = () if name == DEADLOCK else design.chosen([name])
        super().__init__(design, rules)
        self.rule = rules[0] if rules else None
        of_steps = self.rule is not None and self.rule.role == "transition"
        self.stepped = of_steps and length > 1  # an initial state alone breaks a refinement

    def levels(self, length: int, most: int) -> list[set[Words]]:
        """The states on the ways of `length` states, initial ones first.

        For a step that violates a transition property: the states before it.
        """
        if self.rule is not None and self.rule.refined is not None and not self.stepped:
            wrong = (s for s in self.interpreter.initial() if not self._holds(s))
            return [set(map(self.layout.pack, wrong))]
        forward = self._forward(length - 1 if self.stepped else length, most)
        levels = [set(_narrowed(forward[-1], self._finds))]
        for level in forward[-2::-1]:
            following = levels[-1]

            def leads_on(states: Sequence[Words], goal: set[Words] = following) -> bool:
                return not goal.isdisjoint(self.after(states))

            levels.append(set(_narrowed(filter(self.inside, level), leads_on)))
        return levels[::-1]

    def edges(self, state: Words, following: set[Words] | None) -> Iterator[tuple[int, Words]]:
        """The steps from a state to those that follow; None: those that violate the property."""
        before = self.layout.unpack(state)
        for number, after in self.interpreter.successors(before):
            if following is not None:
                on = self.layout.pack(after) in following
            else:
                on = not self._holds(before, after)
            if on:
                yield number, self.layout.pack(after)

    def _holds(self, *states: Any) -> bool:
        assert self.rule is not None
        return self.interpreter.holds(self.rule, *states)

    def _forward(self, length: int, most: int) -> list[set[Words]]:
        level = {self.layout.pack(s) for s in self.interpreter.initial()}
        seen = set(level)
        levels = [level]
        while len(levels) < length:
            rest, level = filter(self.inside, levels[-1]), set[Words]()
            while some := list(islice(rest, BLOCK)):
                level.update(self.after(some))
            level -= seen
            seen |= level
            if len(seen) > most:
                raise TooManyStatesError
            levels.append(level)
        return levels

    def _finds(self, states: Sequence[Words]) -> bool:
        """Whether the finding is made in one of a few states."""
        record = FIRST_PROPERTY if self.rule else STUCK
        return self.noted(states, [record], stepping=self.stepped or self.rule is None)


def _narrowed(states: Iterable[Words], test: Callable[[Sequence[Words]], bool]) -> Iterator[Words]:
    """The states that pass a test which costs the same for LANES of them as for one."""
    rest = iter(states)
    while some := list(islice(rest, LANES)):
        if test(some):
            yield from (state for state in some if test([state]))
