"""Nodes with other leaves, or with parameters for constants, mean what they are made from."""

from __future__ import annotations

import random
from itertools import product

from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.reading import NodeValues
from specmodel.ir.symbolic.replacing import LeafReplacement
from tests.ir.test_graph import HIGHEST, combined, operands


class TwoStates(Graph):
    """A graph in which some leaves are those of a second state."""

    def leaf(self, number: int, high: int) -> Node:
        return super().leaf(number + len(HIGHEST) * (number in (1, 2, 4)), high)

    def everything(self) -> list[Node]:
        """All nodes."""
        return [*self._known.values()]


def test_leaves_of_the_second_state() -> None:
    """Every operation on operands of every kind, with constants, leaves and sums as new leaves."""
    graph, draw = TwoStates(), random.Random(3)
    ints, truths = operands(graph)
    combined(graph, [*ints[:-2:3], *ints[-2:]], truths[::3])
    nodes = graph.everything()
    usual = [Graph.leaf(graph, i, high) for i, high in enumerate(HIGHEST)]
    replaced = LeafReplacement(graph, nodes, usual)
    others = [
        [usual[0], graph.int(2), usual[2], usual[3], usual[4]],
        [
            graph.int(1),
            usual[1],
            graph.select(graph.eq(usual[0], graph.int(1)), usual[2], graph.int(0)),
            usual[3],
            graph.int(5),
        ],
        [*usual],
    ]
    codes = [tuple(draw.randint(0, high) for high in HIGHEST) for _ in range(12)]
    for leaves, first in product(others, [*codes, HIGHEST]):
        known = NodeValues(first)
        whole = NodeValues((*first, *map(known, leaves)))
        for before, after in zip(nodes, replaced.by(leaves), strict=True):
            if before.op in ("floordiv", "mod") and whole(before.args[1]) <= 0:
                continue  # its value is never read
            assert known(after) == whole(before), (before, after)
