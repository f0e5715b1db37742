"""A graph to draw or export: nodes for states, edges for the steps between them."""

from __future__ import annotations

from specmodel.dataclass import dataclass


@dataclass(frozen=True)
class DrawnNode:
    """A state, or several that a projection merges.

    `label` is one line, `lines` are further texts if there is room. `states` is the number of its
    states, `depth` the least number of states on a way to one of them (1: initial; 0: not known).
    `violating`: a property is false in one of them.
    """

    id: str
    label: str
    lines: tuple[str, ...] = ()
    states: int = 1
    depth: int = 0
    initial: bool = False
    violating: bool = False


@dataclass(frozen=True)
class DrawnEdge:
    """Steps by one action from a node to another.

    `labels` are the known steps with their arguments; `changed` the variables that they change,
    `steps` their number. `back`: the step that closes a behaviour's cycle.
    """

    source: str
    target: str
    action: str
    labels: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    steps: int = 1
    back: bool = False


@dataclass(frozen=True)
class DrawnGraph:
    """Nodes and edges, in order. `actions` are all that the design has, so that colours stay.

    `cycle` are the ids of the nodes that a behaviour repeats for ever, and `claim` is what it
    breaks by doing so.
    """

    title: str
    actions: tuple[str, ...]
    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    cycle: tuple[str, ...] = ()
    claim: str = ""
