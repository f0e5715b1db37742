"""The state graph of a design: whole, around some states, or projected."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from typing import Any

from specmodel.analysis.statespace import StateSpace, Visited
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.graphs.model import DrawnEdge, DrawnGraph, DrawnNode
from specmodel.graphs.of_trace import StateText, changed_variables
from specmodel.ir.expression import NoValueError, StateExpression

DETAILED = 60
"""Up to this number of states, steps are labelled with their arguments."""

_BLOCK = 1 << 12


class Explored:
    """The visited part of a state space, at most `most` states; `complete` if that is all.

    Raises SpecFailure if the spec fails in one.
    """

    def __init__(self, space: StateSpace, most: int) -> None:
        self.space = space
        visited = tuple(space.visit(most + 1))
        self.visited = visited[:most]
        self.complete = len(visited) <= most


def state_graph(design: Design, explored: Explored, chosen: Set[int] | None = None) -> DrawnGraph:
    """Every visited state as a node, all steps by one action between two as an edge.

    `chosen` are the places of those to draw, if not all. With at most DETAILED states, steps are
    labelled with their arguments.
    """
    drawn = [v for v in explored.visited if chosen is None or v.place in chosen]
    writer = _GraphWriter(design, explored, drawn)
    nodes = [writer.node(visited) for visited in drawn]
    edges = [edge for visited in drawn for edge in writer.edges(visited)]
    part = "" if chosen is None else f"{len(drawn):,} of "
    seen = counted(len(explored.visited), explored.complete)
    title = f"{design.name}: {part}{seen}"
    return DrawnGraph(title, tuple(explored.space.names), tuple(nodes), tuple(edges))


class _GraphWriter:
    """Makes nodes and edges of visited states."""

    def __init__(self, design: Design, explored: Explored, drawn: Sequence[Visited]) -> None:
        self.explored = explored
        self.detailed = len(drawn) <= DETAILED
        bad = explored.space.violating([visited.key for visited in drawn])
        self.violating = {v.place for v, wrong in zip(drawn, bad, strict=True) if wrong}
        self.text = StateText(design.spec)
        self.states = {v.place: explored.space.state(v.key) for v in drawn}

    def node(self, visited: Visited) -> DrawnNode:
        state = self.states[visited.place]
        return DrawnNode(
            str(visited.place + 1),
            str(visited.place + 1),
            self.text.lines(state),
            1,
            visited.depth,
            visited.depth == 1,
            visited.place in self.violating,
        )

    def edges(self, visited: Visited) -> Iterable[DrawnEdge]:
        before = self.states[visited.place]
        grouped: dict[tuple[str, int], int] = {}
        for step in visited.steps:
            if step[1] in self.states:
                grouped[step] = grouped.get(step, 0) + 1
        labels = self._labels(before) if self.detailed else {}
        for (action, to), steps in grouped.items():
            after = self.states[to]
            texts = labels.get((action, after), ())
            changed = changed_variables(before, after)
            yield DrawnEdge(
                str(visited.place + 1), str(to + 1), action, tuple(texts), changed, steps
            )

    def _labels(self, state: Any) -> dict[tuple[str, Any], list[str]]:
        """The enabled steps of a state, with their arguments."""
        interpreter = self.explored.space.interpreter
        found: dict[tuple[str, Any], list[str]] = {}
        for number, after in interpreter.successors(state):
            step = interpreter.step(number, state)
            found.setdefault((step.action, after), []).append(self.text.notation.step(step))
        return found


# Projections

Key = Callable[[int], tuple[Any, ...]]
"""The key of a state: a value for each title, by the state's place.

States with equal keys are one node.
"""


def by_expressions(space: StateSpace, expressions: Sequence[StateExpression]) -> Key:
    """States with equal values are one node."""
    every = space.interpreter.domain.fields
    reads = [expression.reads for expression in expressions]
    part = space.part({name for names in reads for name in (every if names is None else names)})
    known: dict[Hashable, tuple[Any, ...]] = {}

    def key(place: int) -> tuple[Any, ...]:
        held = space.keys[place]
        read = part(held)
        values = known.get(read)
        if values is None:
            state = space.state(held)
            values = known[read] = tuple(_value(each, state) for each in expressions)
        return values

    return key


def by_depth(space: StateSpace) -> Key:
    """States at the same depth are one node."""
    return lambda place: (space.depths[place],)


def _value(expression: StateExpression, state: Any) -> Any:
    try:
        return expression.value(state)
    except NoValueError:
        return NO_VALUE


@dataclass(frozen=True)
class _NoValue:
    """Stands for the value of an expression that has none in a state."""

    def __repr__(self) -> str:
        return "no value"


NO_VALUE = _NoValue()


@dataclass
class _StateGroup:
    """The states of one node of a projection."""

    id: str
    lines: tuple[str, ...]
    depth: int
    states: int = 0
    initial: bool = False
    violating: bool = False


class Projection:
    """The quotient of a state space: states of equal keys are one node.

    Steps within a node are an edge from the node to itself.
    """

    def __init__(self, design: Design, space: StateSpace, key: Key, titles: Sequence[str]) -> None:
        self.design = design
        self.space = space
        self.key = key
        self.titles = titles
        self.write = StateText(design.spec).notation.value
        self.groups: dict[tuple[Any, ...], _StateGroup] = {}
        self.edges: dict[tuple[str, str, str], int] = {}

    def graph(self, most_nodes: int, most_states: int) -> DrawnGraph | None:
        """The graph of at most `most_states` visited states; None if it has too many nodes."""
        seen = 0
        block: list[int] = []
        for visited in self.space.visit(most_states + 1):
            if visited.place == most_states:
                break
            seen += 1
            source = self._group(visited.place)
            source.states += 1
            source.initial |= visited.depth == 1
            for action, to in visited.steps:
                ends = source.id, self._group(to).id, action
                self.edges[ends] = self.edges.get(ends, 0) + 1
            if len(self.groups) > most_nodes:
                return None
            block.append(visited.place)
            if len(block) == _BLOCK:
                self._judge(block)
        self._judge(block)
        nodes = tuple(DrawnNode(label=group.id, **vars(group)) for group in self.groups.values())
        made = tuple(DrawnEdge(*ends, steps=steps) for ends, steps in self.edges.items())
        complete = len(self.space.keys) <= most_states
        by = ", ".join(self.titles)
        title = f"{self.design.name} by {by}: {len(nodes):,} of {counted(seen, complete)}"
        return DrawnGraph(title, tuple(self.space.names), nodes, made)

    def _group(self, place: int) -> _StateGroup:
        value = self.key(place)
        group = self.groups.get(value)
        if group is None:
            pairs = zip(self.titles, value, strict=True)
            lines = tuple(f"{title} = {self.write(held)}" for title, held in pairs)
            depth = self.space.depths[place]
            group = self.groups[value] = _StateGroup(str(len(self.groups) + 1), lines, depth)
        return group

    def _judge(self, block: list[int]) -> None:
        """Notes the groups with violating states among some states."""
        found = self.space.violating([self.space.keys[place] for place in block])
        for place, violating in zip(block, found, strict=True):
            if violating:
                self._group(place).violating = True
        block.clear()


def counted(seen: int, complete: bool) -> str:
    """The extent of the visited part: `957 states`, `the first 1,000 states`."""
    return f"{seen:,} states" if complete else f"the first {seen:,} states"
