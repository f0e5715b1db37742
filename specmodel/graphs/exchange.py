"""Graphs for other programs: GraphML and node-link JSON, through networkx."""

from __future__ import annotations

import io
import json
from importlib import import_module
from typing import Any

from specmodel.errors import UsageError
from specmodel.graphs.model import Graph


def graphml(graph: Graph) -> str:
    """The graph as GraphML, with what is known of nodes and edges as attributes."""
    networkx = _networkx()
    buffer = io.BytesIO()
    networkx.write_graphml(to_networkx(graph), buffer)
    return buffer.getvalue().decode()


def node_link_json(graph: Graph) -> str:
    """The graph as networkx's node-link JSON, which d3 and others read too."""
    data = _networkx().node_link_data(to_networkx(graph), edges="links")
    return json.dumps(data, indent=1) + "\n"


def to_networkx(graph: Graph) -> Any:
    """The graph as a networkx.MultiDiGraph. Raises UsageError if networkx is missing."""
    made = _networkx().MultiDiGraph(title=graph.title)
    for node in graph.nodes:
        made.add_node(
            node.id,
            label=node.label,
            text="\n".join(node.lines),
            states=node.states,
            depth=node.depth,
            initial=node.initial,
            violating=node.violating,
        )
    for edge in graph.edges:
        made.add_edge(
            edge.source,
            edge.target,
            action=edge.action,
            label="\n".join(edge.labels),
            changed=", ".join(edge.changed),
            steps=edge.steps,
        )
    return made


def _networkx() -> Any:
    try:
        return import_module("networkx")
    except ImportError:
        what = "GraphML and JSON graphs need networkx"
        raise UsageError(f"{what}: pip install 'specmodel[graph]'") from None
