"""Graphs for other programs: GraphML and node-link JSON, through networkx."""

from __future__ import annotations

import io
import json
from typing import Any

from specmodel.graphs.model import DrawnGraph
from specmodel.graphs.render import imported
from specmodel.results.plain import Keys, members


def graphml(graph: DrawnGraph) -> str:
    """The graph as GraphML, with the data of nodes and edges as attributes."""
    networkx = _networkx()
    buffer = io.BytesIO()
    networkx.write_graphml(to_networkx(graph), buffer)
    return buffer.getvalue().decode()


def node_link_json(graph: DrawnGraph) -> str:
    """The graph as networkx's node-link JSON, which d3 and others read too."""
    data = _networkx().node_link_data(to_networkx(graph), edges="links")
    return json.dumps(data, indent=1) + "\n"


def to_networkx(graph: DrawnGraph) -> Any:
    """The graph as a networkx.MultiDiGraph. Raises UsageError if networkx is missing."""
    made = _networkx().MultiDiGraph(title=graph.title)
    for node in graph.nodes:
        attributes = members(node, "label text=lines states depth initial violating", _LINES)
        made.add_node(node.id, **attributes)
    for edge in graph.edges:
        attributes = members(edge, "action label=labels changed steps", _LINES)
        attributes["changed"] = ", ".join(edge.changed)
        made.add_edge(edge.source, edge.target, **attributes)
    return made


_LINES: Keys = {tuple: "\n".join}


def _networkx() -> Any:
    return imported("networkx", "GraphML and JSON graphs need networkx")
