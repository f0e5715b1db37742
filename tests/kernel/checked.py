"""A graph that checks itself: every node, as it is made, on some assignments of the leaves."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from specmodel.ir.layout import Layout, codes_of
from specmodel.ir.symbolic.graph import MOST_BITS, Graph, Node
from specmodel.ir.symbolic.reading import NodeValues
from specmodel.lang.spec import Spec
from specmodel.machine.words import LANES
from tests.kernel.backends import Codes, by_gates, by_kernel, by_z3
from tests.kernel.reference import mixed_states, reachable_states

PLAIN: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // (b or 1),
    "mod": lambda a, b: a % (b or 1),
    "minimum": min,
    "maximum": max,
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
    "popcount": int.bit_count,
    "number": int,
    "eq": lambda a, b: a == b,
    "differs": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "negate": lambda a: not a,
    "both": lambda *args: all(args),
    "either": lambda *args: any(args),
    "select": lambda condition, a, b: a if condition else b,
}
"""What the methods of a graph mean, simplified or not; a divisor of 0 counts as 1."""


class CheckedGraph(Graph):
    """Asserts that nodes mean what they are made for, and lie within their intervals."""

    def __init__(self, assignments: Sequence[Codes]) -> None:
        self.readings = [NodeValues(codes) for codes in assignments]
        self._rows: dict[Node, list[int]] = {}
        self._compared = set[tuple[object, ...]]()
        super().__init__()

    def values(self, node: Node) -> list[int]:
        """Its value for each assignment."""
        row = self._rows.get(node)
        if row is None:
            row = self._rows[node] = [reading(node) for reading in self.readings]
        return row

    def nodes(self) -> list[Node]:
        """All nodes but constants."""
        return [node for node in self._known.values() if not node.constant]

    def checked(self, node: Node, plain: Callable[..., int], args: Sequence[Node]) -> Node:
        """Asserts that a node has the values of a plain computation on those of the operands."""
        comparison = (plain, node, *args)
        if comparison in self._compared:
            return node  # three of four times, as bindings have much in common
        self._compared.add(comparison)
        rows = [self.values(arg) for arg in args]
        wanted = [int(plain(*(row[i] for row in rows))) for i in range(len(self.readings))]
        assert self.values(node) == wanted, (node, args)
        return node

    def _make(self, op: str, args: tuple[Node, ...], boolean: bool, value: int = 0) -> Node:
        node = super()._make(op, args, boolean, value)
        assert all(node.low <= found <= node.high for found in self.values(node)), node
        return node

    def shift_left(self, a: Node, by: int) -> Node:
        return self.checked(super().shift_left(a, by), lambda x: x << by, [a])

    def shift_right(self, a: Node, by: int) -> Node:
        return self.checked(super().shift_right(a, by), lambda x: x >> by, [a])

    def bit(self, position: Node, width: int) -> Node:
        node = super().bit(position, width)
        exact = 0 <= position.low <= position.high < MOST_BITS
        wraps = MOST_BITS if exact else 1 << (width - 1).bit_length()
        return self.checked(node, lambda at: 1 << at % wraps, [position])


def _checking(name: str, plain: Callable[..., int]) -> Callable[..., Node]:
    made: Callable[..., Node] = getattr(Graph, name)

    def method(self: CheckedGraph, *args: Node) -> Node:
        return self.checked(made(self, *args), plain, args)

    return method


for _name, _plain in PLAIN.items():
    setattr(CheckedGraph, _name, _checking(_name, _plain))


def assignments_of(spec: Spec, layout: Layout, draw: random.Random) -> list[list[int]]:
    """LANES assignments of the leaves: of reachable and other states, and of no state at all."""
    near = reachable_states(spec, 60)
    states: list[Any] = [draw.choice(near) for _ in range(2)]
    states += mixed_states(spec, near, 2, draw)
    states.append(spec.domain.at(draw.randrange(spec.domain.size)))
    found = [list(codes_of(spec.domain, state)) for state in states]
    found.append([leaf.size - 1 for leaf in layout.leaves])
    while len(found) < LANES:
        found.append([draw.randrange(leaf.size) for leaf in layout.leaves])
    return found


def assert_back_ends_agree(
    layout: Layout, graph: CheckedGraph, assignments: Sequence[Codes], most: int, proofs: int = 1
) -> int:
    """Asserts that the kernel, its gates and z3 give each node the value of plain Python.

    At most some nodes are compared, evenly taken. z3 is asked for some of the assignments. The
    result is how many nodes were compared.
    """
    nodes = graph.nodes()
    nodes = nodes[:: -(-len(nodes) // most)] if nodes else nodes
    wanted = [graph.values(node) for node in nodes]
    assert by_kernel(layout, nodes, assignments) == wanted
    truths = [(node, row) for node, row in zip(nodes, wanted, strict=True) if node.boolean]
    assert by_gates(layout, [node for node, _ in truths], assignments) == [r for _, r in truths]
    for number in range(proofs):
        found = by_z3(layout, nodes, assignments[-1 - number])
        assert found == [row[-1 - number] for row in wanted]
    return len(nodes)
