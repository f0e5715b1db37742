"""Simplification keeps the meaning: a graph made by `Graph` equals the plain computation."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specmodel.errors import SpecError
from specmodel.ir.symbolic.graph import MOST_BITS, Graph, Node
from specmodel.ir.symbolic.reading import NodeValues
from tests.kernel.checked import CheckedGraph

HIGHEST = (1, 3, 4, 1, 7)
"""The largest code of each leaf."""

INTS = ("add", "sub", "mul", "floordiv", "mod", "minimum", "maximum")
MASKS = ("band", "bor", "bxor")
COMPARISONS = ("eq", "lt", "le")


@dataclass
class Made:
    """A node, and its value for each assignment of the leaves by plain computation."""

    node: Node
    values: list[int]


def plain(name: str, a: int, b: int) -> int:
    """What a method of Graph means; a divisor of 0 counts as 1."""
    if name in ("floordiv", "mod"):
        b = b or 1
        return a // b if name == "floordiv" else a % b
    return {
        "add": a + b,
        "sub": a - b,
        "mul": a * b,
        "minimum": min(a, b),
        "maximum": max(a, b),
        "band": a & b,
        "bor": a | b,
        "bxor": a ^ b,
        "eq": int(a == b),
        "lt": int(a < b),
        "le": int(a <= b),
    }[name]


class Builder:
    """Makes random nodes out of earlier ones, and computes them along for some assignments."""

    def __init__(
        self,
        draw: st.DataObject,
        assignments: Sequence[Sequence[int]],
        graph: Graph | None = None,
    ) -> None:
        self.draw = draw
        self.graph = g = graph or Graph()
        self.size = len(assignments)
        self.ints = [
            Made(g.leaf(i, high), [a[i] for a in assignments]) for i, high in enumerate(HIGHEST)
        ]
        self.ints += [Made(g.int(n), [n] * self.size) for n in (-2, -1, 0, 1, 2, 3, 5)]
        self.bools = [
            Made(g.true, [1] * self.size),
            Made(g.false, [0] * self.size),
        ]

    def pick(self, pool: list[Made]) -> Made:
        # Late nodes are the interesting ones.
        return pool[-1 - self.draw.draw(st.integers(0, len(pool) - 1))]

    def step(self) -> Made:
        """One more node."""
        choice = self.draw.draw(st.integers(0, 8))
        if choice <= 1:
            return self.binary(self.draw.draw(st.sampled_from(INTS)), self.ints, self.ints)
        if choice == 2:
            masks = [m for m in self.ints if m.node.low >= 0]
            return self.binary(self.draw.draw(st.sampled_from(MASKS)), masks, self.ints)
        if choice <= 4:
            return self.binary(self.draw.draw(st.sampled_from(COMPARISONS)), self.ints, self.bools)
        if choice <= 6:
            return self.junction()
        return self.choice() if choice == 7 else self.unary()

    def binary(self, name: str, pool: list[Made], into: list[Made]) -> Made:
        a, b = self.pick(pool), self.pick(pool)
        node = getattr(self.graph, name)(a.node, b.node)
        values = [plain(name, x, y) for x, y in zip(a.values, b.values, strict=True)]
        return self.kept(into, node, values)

    def junction(self) -> Made:
        parts = [self.pick(self.bools) for _ in range(self.draw.draw(st.integers(1, 4)))]
        rows = zip(*(p.values for p in parts), strict=True)
        nodes = [p.node for p in parts]
        if self.draw.draw(st.booleans()):
            return self.kept(self.bools, self.graph.both(*nodes), [int(all(r)) for r in rows])
        return self.kept(self.bools, self.graph.either(*nodes), [int(any(r)) for r in rows])

    def choice(self) -> Made:
        pool = self.draw.draw(st.sampled_from([self.ints, self.bools]))
        c, a, b = self.pick(self.bools), self.pick(pool), self.pick(pool)
        rows = zip(c.values, a.values, b.values, strict=True)
        node = self.graph.select(c.node, a.node, b.node)
        return self.kept(pool, node, [x if held else y for held, x, y in rows])

    def unary(self) -> Made:
        g = self.graph
        kind = self.draw.draw(st.integers(0, 6))
        if kind <= 1:
            a = self.pick(self.bools)
            return self.kept(self.bools, g.negate(a.node), [1 - v for v in a.values])
        if kind == 2:
            a, b = self.pick(self.bools), self.pick(self.bools)
            values = [x ^ y for x, y in zip(a.values, b.values, strict=True)]
            return self.kept(self.bools, g.differs(a.node, b.node), values)
        if kind == 3:
            a = self.pick(self.bools)
            return self.kept(self.ints, g.number(a.node), a.values)
        if kind == 4:
            a, width = self.pick(self.ints), self.draw.draw(st.integers(1, MOST_BITS))
            exact = 0 <= a.node.low <= a.node.high < MOST_BITS
            wraps = MOST_BITS if exact else 1 << (width - 1).bit_length()
            node = g.bit(a.node, width)
            return self.kept(self.ints, node, [1 << v % wraps for v in a.values])
        a = self.pick([m for m in self.ints if 0 <= m.node.low <= m.node.high < 1 << MOST_BITS])
        if kind == 5:
            return self.kept(self.ints, g.popcount(a.node), [v.bit_count() for v in a.values])
        by = self.draw.draw(st.integers(0, 3))
        if self.draw.draw(st.booleans()):
            return self.kept(self.ints, g.shift_left(a.node, by), [v << by for v in a.values])
        return self.kept(self.ints, g.shift_right(a.node, by), [v >> by for v in a.values])

    def kept(self, pool: list[Made], node: Node, values: list[int]) -> Made:
        made = Made(node, values)
        if node.low > -(1 << 40) and node.high < 1 << 40:
            pool.append(made)
        return made


assignments = st.lists(
    st.tuples(*(st.integers(0, high) for high in HIGHEST)), min_size=6, max_size=12
)


def test_a_node_means_the_same_whoever_asks_for_it() -> None:
    """A position tested against a narrow set and a wide one: neither narrows the other's mask."""
    g = Graph()
    x = g.leaf(0, 3)
    narrow, wide = g.bit(x, 1), g.bit(x, 4)
    assert narrow is wide
    assert (narrow.low, narrow.high) == (1, 8)
    assert g.band(wide, g.int(0b1000)) is not g.int(0)
    outside = g.leaf(1, 100)
    assert g.bit(outside, 1) is g.int(1)
    assert g.bit(outside, 3).high == 8
    assert g.leaf(2, 1) is not g.leaf(2, 7)


def test_what_does_not_fit_is_refused() -> None:
    """Compiled numbers have 64 bits: a node that may need more is not made."""
    g = Graph()
    a = g.leaf(0, (1 << 62) - 1)
    b = g.add(a, a)
    for make in (lambda: g.add(b, b), lambda: g.mul(a, g.int(4)), lambda: g.shift_left(a, 2)):
        with pytest.raises(SpecError, match="grow beyond 62 bits"):
            make()


def operands(g: Graph) -> tuple[list[Node], list[Node]]:
    """Ints and truths of every kind."""
    a, b, c, d, e = (g.leaf(i, high) for i, high in enumerate(HIGHEST))
    p, q, r = g.eq(d, g.int(1)), g.lt(b, c), g.eq(b, g.int(2))
    truths = [g.true, g.false, p, q, r, g.eq(a, g.int(0)), g.lt(c, g.int(3))]
    truths += [g.negate(t) for t in truths[3:]]
    ints = [g.int(n) for n in (-3, -1, 0, 1, 2, 3, 7)]
    ints += [a, b, c, g.add(b, g.int(-2)), g.add(c, g.int(3)), g.sub(b, c), g.sub(g.int(0), e)]
    ints += [g.mul(b, g.int(2)), g.select(p, g.int(2), b), g.select(q, b, c), g.number(q)]
    ints += [g.band(e, g.int(5)), g.bor(b, e), g.shift_left(b, 2), g.shift_right(e, 1)]
    ints += [g.shift_left(b, 1), g.shift_right(e, 2), g.popcount(e), g.bit(b, 4), g.bit(c, 2)]
    ints += [g.bit(g.sub(b, c), 3), g.bit(g.add(c, g.int(30)), 4)]
    return ints, truths


def combined(g: Graph, ints: Sequence[Node], truths: Sequence[Node]) -> None:
    """Makes every operation on every pair."""
    both = [g.add, g.sub, g.mul, g.floordiv, g.mod, g.minimum, g.maximum, g.eq, g.lt, g.le]
    for x, y in product(ints, ints):
        for make in both:
            make(x, y)
        for t in truths[2:5]:
            g.select(t, x, y)
        if x.low >= 0 and y.low >= 0:
            for make in (g.band, g.bor, g.bxor):
                make(x, y)
    for x, y in product(truths, truths):
        made = [g.both(x, y), g.either(x, y), g.differs(x, y), g.eq(x, y)]
        for t, z in product(truths[2:], made):
            g.select(t, x, y)
            g.both(t, z)
            g.either(t, z)
            g.both(g.either(x, t), z, g.negate(y))
            g.either(g.both(x, t), z, g.negate(y))


def test_every_operation_on_every_pair() -> None:
    """Each simplification there is, on operands of every kind, and each interval."""
    draw = random.Random(4)
    codes = [tuple(draw.randint(0, high) for high in HIGHEST) for _ in range(24)]
    g = CheckedGraph([*codes, tuple(0 for _ in HIGHEST), HIGHEST])
    combined(g, *operands(g))


@settings(max_examples=150, deadline=None)
@given(st.data(), assignments, st.integers(1, 25))
def test_nodes_mean_what_they_are_made_from(
    data: st.DataObject, leaves: list[tuple[int, ...]], steps: int
) -> None:
    """Every node's value is that of the plain computation, and lies within the node's interval."""
    assert_meant(data, leaves, steps)


@pytest.mark.long
@settings(max_examples=5_000, deadline=None)
@given(st.data(), assignments, st.integers(1, 25))
def test_many_nodes_mean_what_they_are_made_from(
    data: st.DataObject, leaves: list[tuple[int, ...]], steps: int
) -> None:
    """As above, at leisure."""
    assert_meant(data, leaves, steps)


def assert_meant(data: st.DataObject, leaves: list[tuple[int, ...]], steps: int) -> None:
    builder = Builder(data, leaves)
    for _ in range(steps):
        made = builder.step()
        values = [NodeValues(assignment)(made.node) for assignment in leaves]
        assert values == made.values
        assert all(made.node.low <= value <= made.node.high for value in values)


def test_equal_operations_are_one_node() -> None:
    """Sharing keeps kernels small: order of operands does not matter where it should not."""
    g = Graph()
    a, b = g.leaf(0, 9), g.leaf(1, 9)
    assert g.add(a, b) is g.add(b, a)
    assert g.eq(a, b) is g.eq(b, a)
    p, q = g.eq(a, g.int(3)), g.lt(a, b)
    assert g.both(p, q) is g.both(q, p, q)
    assert g.either(p, g.both(p, q)) is p


def test_what_is_certain_folds_away() -> None:
    """Literal arguments of a binding and impossible failures leave nothing behind."""
    g = Graph()
    a = g.leaf(0, 3)
    p = g.eq(a, g.int(2))
    assert g.lt(a, g.int(4)) is g.true
    assert g.eq(a, g.int(4)) is g.false
    assert g.both(p, g.negate(p)) is g.false
    assert g.either(p, g.negate(p)) is g.true
    assert g.sub(a, a) is g.int(0)
    assert g.add(g.add(a, g.int(2)), g.int(-2)) is a
    assert g.select(p, a, a) is a
    assert g.mod(a, g.int(8)) is a
    assert g.eq(g.add(a, g.int(1)), g.int(3)) is p


def test_what_a_number_is_settles_its_comparisons() -> None:
    """The class that a picked member has rules out the failures of the others."""
    g = Graph()
    a, q = g.leaf(0, 4), g.eq(g.leaf(1, 1), g.int(1))
    p, other = g.eq(a, g.int(2)), g.eq(a, g.int(3))
    assert g.both(p, other) is g.false
    assert g.either(g.negate(p), g.negate(other)) is g.true
    assert g.both(p, g.lt(a, g.int(3))) is p
    assert g.both(p, g.either(other, q)) is g.both(p, q)
    assert g.either(g.negate(p), g.both(g.negate(other), q)) is g.either(g.negate(p), q)
    assert g.both(g.negate(p), g.lt(a, g.int(3))) is not g.false
    assert g.both(p, q, g.negate(g.both(q, g.lt(a, g.int(3))))) is g.false
    assert g.lt(g.sub(a, g.int(1)), a) is g.true
    assert g.minimum(a, g.int(3)).high == 3
    assert g.maximum(a, g.int(1)).low == 1
