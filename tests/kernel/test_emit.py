"""Instructions that are cheaper than what they stand for."""

from __future__ import annotations

import pytest

from specmodel.ir.layout import Layout
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.kernel.emit import Emitter, reciprocal
from specmodel.lang.struct import Struct

LIMITS = [-(10**9), -1001, -1, 0, 1, 6, 1000, 10**5, 10**9]


@pytest.mark.parametrize("by", [1, 2, 3, 5, 7, 10, 641, 65_537, 10**6])
def test_division_by_multiplication(by: int) -> None:
    """The quotient is exact up to the limits of the interval, and around multiples of the
    divisor, also below zero; larger intervals are refused, not divided wrongly."""
    exact = 0
    for low in LIMITS:
        for high in (each for each in LIMITS if each >= low):
            found = reciprocal(Node(1, "leaf", (), 0, low, high, False), by)
            if found is None:
                assert high - low > 10**8
                continue
            first, factor, shift = found
            middle = (low + high) // 2 // by * by
            tried = {low, high, low + 1, high - 1, middle - 1, middle, high // by * by - 1}
            for value in (v for v in tried if low <= v <= high):
                moved = value - first * by
                assert 0 <= moved * factor < 1 << 63
                assert (moved * factor >> shift) + first == value // by
                exact += 1
    assert exact > 50


class Flags(Struct):
    """A state with four truth values."""

    a: bool
    b: bool
    c: bool
    d: bool


@pytest.mark.parametrize("operator", ["and", "or"])
def test_junctions_share_their_beginnings(operator: str) -> None:
    """What several conditions have in common is computed once."""
    graph, layout = Graph(), Layout(Flags.__domain__)
    a, b, c, d = (graph.lt(graph.leaf(n, 1), graph.int(1)) for n in range(4))
    join = graph.both if operator == "and" else graph.either
    e = Emitter(layout)
    e.words = ["%w0"]
    one, other = e.value(join(a, b, c)), e.value(join(a, b, d))
    assert one != other
    assert sum(f" {operator} <8 x i1>" in line for line in e.lines) == 3
