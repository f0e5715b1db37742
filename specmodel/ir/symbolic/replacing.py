"""Replaces leaves in nodes: what was found of an unknown state becomes what it is of another."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.traversal import operands_first

_METHODS = {"xor": "differs", "not": "negate", "and": "both", "or": "either"}
"""The methods that make nodes whose operation is not their name."""


def remade(graph: Graph, node: Node, args: Sequence[Node]) -> Node:
    """The node of the same operation on other operands."""
    if node.op == "shl":
        return graph.shift_left(args[0], node.value)
    if node.op == "shr":
        return graph.shift_right(args[0], node.value)
    if node.op == "bit":
        position = graph.mod(args[0], graph.int(node.value)) if node.value else args[0]
        return graph.bit(position, node.value)
    made: Node = getattr(graph, _METHODS.get(node.op, node.op))(*args)
    return made


class GivenParameters:
    """Nodes with numbers in the place of the parameters of a loop."""

    def __init__(self, graph: Graph, values: Sequence[int]) -> None:
        self.graph = graph
        self.values = values
        self.made: dict[int, Node] = {}

    def __call__(self, nodes: Sequence[Node]) -> list[Node]:
        """What becomes of some nodes."""
        made = self.made
        for node in operands_first(nodes, made):
            made[node.id] = self._made(node, [made[arg.id] for arg in node.args])
        return [made[node.id] for node in nodes]

    def _made(self, node: Node, args: Sequence[Node]) -> Node:
        if node.op == "parameter":
            return self.graph.int(self.values[node.value])
        same = all(map(is_, args, node.args))
        return node if same else remade(self.graph, node, args)


class LeafReplacement:
    """Nodes of two states, in which the second state is replaced by one after the other.

    The leaves of the second state are numbered after the `usual` ones, those of the first state.
    Most replacements differ from these in a few leaves, and what depends on no other is made once.
    """

    def __init__(self, graph: Graph, nodes: Sequence[Node], usual: Sequence[Node]) -> None:
        self.graph = graph
        self.nodes = nodes
        self.usual = usual
        self.dependent: list[tuple[Node, int]] = []
        """The nodes that depend on the second state, operands first, and the bits of its leaves."""
        self._collect()
        self.made: dict[int, Node] = {}
        self.made = self._made(usual, -1)

    def by(self, leaves: Sequence[Node]) -> list[Node]:
        """The nodes, with these leaves in the second state."""
        changed = sum(
            1 << place
            for place, (leaf, usual) in enumerate(zip(leaves, self.usual, strict=True))
            if leaf is not usual
        )
        found = self._made(leaves, changed)
        return [found.get(node.id) or self.made.get(node.id, node) for node in self.nodes]

    def _made(self, leaves: Sequence[Node], changed: int) -> dict[int, Node]:
        """The nodes that depend on some leaves, by the number of what they replace."""
        found, usual = dict[int, Node](), self.made
        for node, bits in self.dependent:
            if not bits & changed:
                continue
            if node.op == "leaf":
                found[node.id] = leaves[node.value - len(leaves)]
            else:
                args = [found.get(arg.id) or usual.get(arg.id, arg) for arg in node.args]
                found[node.id] = remade(self.graph, node, args)
        return found

    def _collect(self) -> None:
        first, bits = len(self.usual), dict[int, int]()
        for node in operands_first(self.nodes, bits):
            own = 1 << (node.value - first) if node.op == "leaf" and node.value >= first else 0
            for arg in node.args:
                own |= bits[arg.id]
            bits[node.id] = own
            if own:
                self.dependent.append((node, own))
