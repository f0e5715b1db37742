"""All shortest ways to a finding, merged into one graph."""

from __future__ import annotations

from specmodel.analysis.shortest import ShortestRuns, TooManyStatesError, Words
from specmodel.design import Design
from specmodel.errors import SpecmodelError
from specmodel.graphs.model import Edge, Graph, Node
from specmodel.graphs.of_trace import StateText, changed_variables

MOST_STATES = 200_000


def shortest_graph(design: Design, name: str, length: int) -> Graph:
    """The graph of all shortest traces to a property's finding, `length` states each.

    Equal states are one node. Raises SpecmodelError if there are more than MOST_STATES states up to
    the finding.
    """
    try:
        runs = ShortestRuns(design, name, length, MOST_STATES)
    except TooManyStatesError:
        raise SpecmodelError(
            f"there are more than {MOST_STATES:,} states up to the violation of {name}: "
            "take smaller constants, or draw one trace (--show trace)"
        ) from None
    text = StateText(design.spec)
    numbers: dict[tuple[int, Words], str] = {}
    nodes: list[Node] = []
    edges: list[Edge] = []

    def place(level: int, words: Words) -> str:
        known = numbers.get((level, words))
        if known is None:
            known = numbers[level, words] = str(len(nodes) + 1)
            last = level == runs.steps
            lines = text.lines(runs.layout.unpack(words))
            violating = last and (runs.rule is None or runs.rule.role != "reachable")
            nodes.append(Node(known, known, lines, 1, level + 1, level == 0, violating))
        return known

    ways: dict[str, int] = {}
    for level, states in enumerate(runs.levels):
        for words in sorted(states):
            source = place(level, words)
            if level == 0:
                ways[source] = 1
            if level == runs.steps:
                continue
            grouped: dict[tuple[str, Words], list[str]] = {}
            for edge in runs.edges(level, words):
                step = runs.interpreter.step(edge.binding)
                grouped.setdefault((step.action, edge.to), []).append(text.notation.step(step))
            before = runs.layout.unpack(words)
            for (action, to), labels in grouped.items():
                target = place(level + 1, to)
                ways[target] = ways.get(target, 0) + ways[source] * len(labels)
                changed = changed_variables(before, runs.layout.unpack(to))
                edges.append(Edge(source, target, action, tuple(labels), changed, len(labels)))
    total = sum(ways[node.id] for node in nodes if node.depth == runs.steps + 1)
    title = f"{design.name}: the {total:,} shortest ways to {name}, {length} states each"
    return Graph(title, tuple(r.name for r in design.spec.rules), tuple(nodes), tuple(edges))
