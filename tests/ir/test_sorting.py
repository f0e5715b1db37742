"""Entries are sorted as a collection with slots keeps them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from specmodel.domains import IntDomain, SeqDomain, SlotSetDomain
from specmodel.ir.layout import codes_of, leaves_of
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Graph
from specmodel.ir.symbolic.reading import NodeValues
from specmodel.ir.symbolic.sorting import network, sorted_entries

ELEMENTS = {
    "numbers": IntDomain(-3, 60),
    "lists": SeqDomain(IntDomain(0, 5), 3),
    "two words": SeqDomain(IntDomain(0, (1 << 20) - 1), 4),
}


@pytest.mark.parametrize("count", range(12))
def test_network(count: int) -> None:
    """It sorts zeros and ones, so it sorts anything."""
    for bits in range(1 << count):
        held = [bits >> place & 1 for place in range(count)]
        for a, b in network(count):
            if held[a] > held[b]:
                held[a], held[b] = held[b], held[a]
        assert held == sorted(held)


@pytest.mark.parametrize("name", ELEMENTS)
def test_entries_in_order(name: str) -> None:
    """The leaves are those of the domain's own value, whichever entries there are."""
    element: Any = ELEMENTS[name]
    draw, graph, domain = random.Random(name), Graph(), SlotSetDomain(element, 6)
    algebra, width = Algebra(graph), len([*leaves_of(element)])
    sizes = [leaf.size for leaf in leaves_of(element)]
    entries: list[tuple[Any, Any]] = []
    for first in range(0, 6 * (width + 1), width + 1):
        leaves = [graph.leaf(first + i, size - 1) for i, size in enumerate(sizes)]
        there = graph.eq(graph.leaf(first + width, 1), graph.int(1))
        entries.append((there, algebra.unpacked(element, iter(leaves))))
    made: list[Any] = []
    algebra.packed(domain, sorted_entries(algebra, entries, element, 6), made)
    for _ in range(100):
        values = {draw_value(draw, element): None for _ in range(30)}
        chosen = [*values][:6]
        present = [draw.random() < 0.7 for _ in chosen]
        codes: list[int] = []
        for value, there in zip(chosen, present, strict=True):
            codes += [*codes_of(element, value), int(there)]
        wanted = domain.of([v for v, there in zip(chosen, present, strict=True) if there])
        assert [NodeValues(codes)(node) for node in made] == [*codes_of(domain, wanted)]


def draw_value(draw: random.Random, element: Any) -> Any:
    """A value of an element domain."""
    if isinstance(element, IntDomain):
        return draw.randint(element.low, element.high)
    items = [draw_value(draw, element.element) for _ in range(draw.randint(0, element.capacity))]
    return element.store(items, "")
