"""A graph to be drawn or exported: nodes that stand for states, edges for steps between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DrawnNode:
    """A state, or several that a projection makes one.

    `label` is one line, `lines` what there is to tell if there is room. `states` is how many states
    it stands for, `depth` the least number of states on a way to one of them (1: initial; 0: not
    known). `violating`: a property is false there.
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

    `labels` are the steps with their arguments, those that are known; `changed` the variables that
    they change, `steps` how many there are. `back`: the step that closes a behaviour's cycle.
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
    """Nodes and edges, in order. `actions` are all that the design has, so that colours stay."""

    title: str
    actions: tuple[str, ...]
    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
