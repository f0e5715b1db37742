"""Sets as masks: a set that is made of conditions has the elements for which they hold."""

from __future__ import annotations

import random

from specmodel.domains import IntDomain
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.reading import NodeValues
from specmodel.ir.symbolic.sets import Sets
from specmodel.ir.symbolic.values import SymbolicSet

ELEMENTS = IntDomain(0, 39)
HIGHEST = ((1 << 32) - 1, (1 << 8) - 1)
"""The masks of a set of these elements."""


def condition(draw: random.Random, sets: Sets, given: list[SymbolicSet], place: int) -> Node:
    """Whether a set has the element at a place or at another, or something else."""
    g = sets.graph
    one = sets.member_at(draw.choice(given), draw.choice([place, place, draw.randrange(40)]))
    free = g.eq(g.leaf(4, 1), g.int(1))
    return draw.choice([one, one, one, free, g.true, g.false, g.negate(one), g.both(one, free)])


def test_a_set_of_conditions() -> None:
    """Elements as they were, of another set or place, and with conditions of their own."""
    draw = random.Random(0)
    for _ in range(200):
        g = Graph()
        sets = Sets(g)
        given = [
            SymbolicSet(ELEMENTS, tuple(g.leaf(2 * i + k, h) for k, h in enumerate(HIGHEST)))
            for i in range(2)
        ]
        bits = [condition(draw, sets, given, place) for place in range(40)]
        made = sets.of_bits(ELEMENTS, bits)
        read = NodeValues([draw.randint(0, h) for h in (*HIGHEST, *HIGHEST, 1)])
        assert [read(sets.member_at(made, i)) for i in range(40)] == list(map(read, bits))


def test_a_set_that_is_unchanged_is_the_same_node() -> None:
    """Nothing is computed for a set that has all that it had, and little for one more element."""
    g = Graph()
    sets = Sets(g)
    held = SymbolicSet(ELEMENTS, (g.leaf(0, HIGHEST[0]), g.leaf(1, HIGHEST[1])))
    bits = [sets.member_at(held, i) for i in range(40)]
    assert sets.of_bits(ELEMENTS, bits).masks == held.masks
    bits[3] = g.true
    added, rest = sets.of_bits(ELEMENTS, bits).masks
    assert rest is held.masks[1]
    assert added is g.bor(g.int(8), g.band(held.masks[0], g.int(HIGHEST[0] ^ 8)))
