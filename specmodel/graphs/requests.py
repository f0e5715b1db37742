"""The drawings of a design or a trace that a user can request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from specmodel.analysis.statespace import StateSpace, state_space
from specmodel.constants import integer
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.graphs.model import DrawnGraph
from specmodel.graphs.of_runs import shortest_graph
from specmodel.graphs.of_states import (
    Explored,
    Projection,
    by_depth,
    by_expressions,
    state_graph,
)
from specmodel.graphs.of_trace import trace_graph
from specmodel.graphs.sequence import Chart, chart
from specmodel.ir.expression import NoValueError
from specmodel.ir.origins import places
from specmodel.model.model import Expressions
from specmodel.results import PropertyResult, Result

MOST_NODES = 1000
"""A graph with more nodes is unreadable."""

MOST_STATES = 1_000_000
"""The default for the number of states visited for a graph."""

_GOOD = range(2, 41)
"""A projection to this number of nodes is suggested."""


@dataclass(frozen=True)
class Wanted:
    """A picture of a state space: projected by expressions or depth, or a part of it.

    `around` is a condition, for the first state that meets it, or the number of a state; `hops` is
    the number of steps drawn around it. `most` nodes are drawn, `max_states` states visited.
    """

    by: tuple[str, ...] = ()
    by_depth: bool = False
    around: str = ""
    hops: int = 1
    most: int = MOST_NODES
    max_states: int = MOST_STATES


def states_graph(
    design: Design, wanted: Wanted, progress: Callable[[int], None] | None = None
) -> DrawnGraph:
    """A picture of a design's state space. Raises UsageError if it has too many nodes.

    `progress` is told the number of visited states.
    """
    if sum((bool(wanted.by), wanted.by_depth, bool(wanted.around))) > 1:
        raise UsageError("choose one of --by, --by-depth and --around")
    space = state_space(design)
    space.progress = progress
    return space.interpreter.deeply(lambda: _states_graph(design, space, wanted))


def _states_graph(design: Design, space: StateSpace, wanted: Wanted) -> DrawnGraph:
    reader = design.spec.expressions()
    if wanted.around:
        return _around(design, space, reader, wanted)
    if wanted.by or wanted.by_depth:
        return _projected(design, space, reader, wanted)
    explored = Explored(space, wanted.most)
    if not explored.complete:
        raise UsageError(
            f"{design.name} has more than {wanted.most:,} states, which nobody can read at once: "
            + _advice(explored)
        )
    return state_graph(design, explored)


def _projected(
    design: Design, space: StateSpace, reader: Expressions, wanted: Wanted
) -> DrawnGraph:
    expressions = [reader.read(text, "--by") for text in wanted.by]
    key = by_expressions(space, expressions) if expressions else by_depth(space)
    titles = [expression.text for expression in expressions] or ["depth"]
    graph = Projection(design, space, key, titles).graph(wanted.most, wanted.max_states)
    if graph is None:
        raise UsageError(
            f"{design.name} by {', '.join(titles)} has more than {wanted.most:,} nodes: "
            "project to fewer values, or raise --most"
        )
    return graph


def _around(design: Design, space: StateSpace, reader: Expressions, wanted: Wanted) -> DrawnGraph:
    """The states some steps around a state, among those of a search up to there and beyond."""
    explored = Explored(space, wanted.max_states)
    place = _place(reader, explored, wanted)
    total = len(explored.visited)
    steps = [(v.place, to) for v in explored.visited for _, to in v.steps if to < total]
    near = {place}
    for _ in range(wanted.hops):
        further = {b for a, b in steps if a in near} | {a for a, b in steps if b in near}
        if further <= near:
            break
        near |= further
    if len(near) > wanted.most:
        raise UsageError(
            f"{len(near):,} states are within {wanted.hops} steps of state {place + 1}, more than "
            f"{wanted.most:,}: take fewer --hops, or raise --most"
        )
    return state_graph(design, explored, near)


def _place(reader: Expressions, explored: Explored, wanted: Wanted) -> int:
    total = len(explored.visited)
    number = integer(wanted.around)
    if number is not None:
        if not 1 <= number <= total:
            raise UsageError(f"--around {number}: the states that were visited are 1 to {total:,}")
        return number - 1
    condition = reader.condition(wanted.around, "--around")
    for visited in explored.visited:
        try:
            if condition.value(explored.space.state(visited.key)):
                return visited.place
        except NoValueError:
            continue
    seen = "" if explored.complete else f" among the first {total:,}"
    raise UsageError(f'no state{seen} meets "{wanted.around}"')


def _advice(explored: Explored) -> str:
    """The advice for a graph that is too large: projections with few nodes."""
    seen: dict[str, set[object]] = {}
    for visited in explored.visited:
        for path, value in _plain_places(explored, visited.key):
            seen.setdefault(path, set()).add(value)
    good = [(path, len(values)) for path, values in seen.items() if len(values) in _GOOD]
    some = " ".join(f"--by '{path}'" for path, _ in sorted(good, key=lambda item: -item[1])[:3])
    projections = f"project them ({some})" if some else "project them (--by-depth)"
    return f"{projections}, look --around one, take smaller constants, or raise --most"


def _plain_places(explored: Explored, key: Any) -> Iterator[tuple[str, object]]:
    """The fields of a state that are named without an index, with their values."""
    for path, value in places(explored.space.state(key)):
        if path and "[" not in path:
            yield path, value


# Traces of designs


def finding(design: Design, name: str, check: Callable[..., Result]) -> PropertyResult:
    """The property whose shortest trace is drawn: the named one, or the first violated.

    `check` searches the design for some properties. Raises UsageError if there is no trace.
    """
    result = check(design, properties=[name] if name else None)
    if name:
        found = result[design.chosen([name])[0].name]
        if found.trace is None:
            raise UsageError(f"{design.name} has no trace to draw: {found.name} {found.verdict}")
        return found
    for found in result.properties:
        if found.verdict == "violated" and found.trace is not None:
            return found
    raise UsageError(
        f"{design.name} violates nothing that is checked: name a reachable property with "
        "--invariant, or draw its states"
    )


def violated_at_end(found: PropertyResult) -> str:
    """The name of the property if the end of its trace violates it; empty if the end meets it."""
    return found.name if found.verdict == "violated" else ""


def sequence_picture(design: Design, found: PropertyResult) -> Chart:
    """The shortest trace to a finding as a chart."""
    assert found.trace is not None
    violated = violated_at_end(found)
    of = f", violates {violated}" if violated else ""
    return chart(
        design.spec, found.trace, f"{design.name}: {found.trace.length} states{of}", violated
    )


def trace_picture(design: Design, found: PropertyResult) -> DrawnGraph:
    """The shortest trace to a finding as a graph."""
    assert found.trace is not None
    return trace_graph(design, found.trace, violated_at_end(found))


def shortest_picture(design: Design, found: PropertyResult, most: int = MOST_NODES) -> DrawnGraph:
    """All shortest traces to a finding as a graph. Raises UsageError if it has too many nodes."""
    assert found.trace is not None
    graph = shortest_graph(design, found.name, found.trace.length)
    if len(graph.nodes) > most:
        raise UsageError(
            f"the shortest ways to {found.name} lead through {len(graph.nodes):,} states, more "
            f"than {most:,}: take smaller constants, draw one (--show trace), or raise --most"
        )
    return graph
