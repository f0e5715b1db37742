"""All shortest ways to a finding, merged into one graph."""

from __future__ import annotations

from collections.abc import Callable

from specmodel.analysis import shortest as analysis
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError
from specmodel.graphs.model import DrawnEdge, DrawnGraph, DrawnNode
from specmodel.graphs.of_trace import StateText, changed_variables
from specmodel.model.model import Interpreted
from specmodel.options import Options
from specmodel.results import Trace

MOST_STATES = 200_000


def shortest_graph(design: Design, name: str, length: int) -> DrawnGraph:
    """The graph of all shortest traces to a property's finding, `length` states each.

    Equal states are one node. Raises SpecmodelError if there are more than MOST_STATES states up to
    the finding.
    """
    try:
        found = _found(design, name, length)
    except analysis.TooManyStatesError:
        raise SpecmodelError(
            f"there are more than {MOST_STATES:,} states up to the violation of {name}: "
            "take smaller constants, or draw one trace (--show trace)"
        ) from None
    text = StateText(design.spec)
    nodes: list[DrawnNode] = []
    ids: dict[tuple[int, int], str] = {}
    for level, states in enumerate(found.levels):
        violating = level == found.length - 1 and found.kind != "reachable"
        for place, state in enumerate(states):
            ids[level, place] = number = str(len(nodes) + 1)
            lines = text.lines(state)
            nodes.append(DrawnNode(number, number, lines, 1, level + 1, level == 0, violating))
    labels: dict[tuple[int, int, int, str], list[str]] = {}
    for edge in found.edges:
        key = (edge.level, edge.source, edge.target, edge.step.action)
        labels.setdefault(key, []).append(text.notation.step(edge.step))
    edges: list[DrawnEdge] = []
    for (level, source, target, action), texts in labels.items():
        before, after = found.levels[level][source], found.levels[level + 1][target]
        changed = changed_variables(before, after)
        ends = (ids[level, source], ids[level + 1, target])
        edges.append(DrawnEdge(*ends, action, tuple(texts), changed, len(texts)))
    many = f"{found.ways:,} shortest ways" if found.ways > 1 else "only shortest way"
    title = f"{design.name}: the {many} to {name}, of {length} states"
    return DrawnGraph(title, tuple(r.name for r in design.spec.rules), tuple(nodes), tuple(edges))


def _found(design: Design, name: str, length: int) -> analysis.ShortestGraph:
    if not isinstance(design.spec, Interpreted):
        return analysis.shortest_graph(design, name, length, MOST_STATES)
    if design.symmetry:
        what = "with SYMMETRY, a state stands for several: leave it out of the configuration"
        raise UsageError(f"{what}, or draw one trace (--show trace)")

    def compiled(
        made: Design, _left: float | None, told: Callable[[Trace], Trace]
    ) -> analysis.ShortestGraph | None:
        graph = analysis.shortest_graph(made, name, length, MOST_STATES)
        return analysis.told_graph(graph, told)

    found = design.spec.compiled(design, Options(), compiled)
    if found is None:
        what = f"the shortest ways to {name} have more than {analysis.MOST_TOLD:,} steps"
        raise UsageError(f"{what}: draw one trace (--show trace)")
    return found
