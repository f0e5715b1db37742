"""The order of symbolic values: that of their domain, as numbers compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from specmodel.errors import SpecError
from specmodel.ir.layout import Layout
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.values import (
    Composite,
    Nothing,
    Option,
    OptionalCode,
    Scalar,
    SymbolicSeq,
    SymbolicSet,
    SymbolicUnion,
    Value,
)

Pair = tuple[Node, Node]

WORD = 60
"""The bits of digits that are compared as one number."""


def less(algebra: Algebra, a: Value, b: Value) -> Node:
    """Whether a value comes before another of its type in the order of their domain."""
    return first_less(algebra, [(a, b)])


def first_less(algebra: Algebra, pairs: Sequence[tuple[Value, Value]]) -> Node:
    """Whether the first pair that differs is in order."""
    return first_difference(algebra.graph, _words(algebra, pairs))


def matches(algebra: Algebra, a: Value, b: Value) -> Node:
    """Whether two values are the same, by the comparisons that `less` makes too."""
    g = algebra.graph
    digits = [g.eq(*digit) for digit in _digits(algebra, a, b)]
    if sum(not digit.constant for digit in digits) < 2:
        return g.both(*digits)
    different = any(digit is g.false for digit in digits)
    return g.false if different else g.both(*(g.eq(*word) for word in _words(algebra, [(a, b)])))


def _words(algebra: Algebra, pairs: Iterable[tuple[Value, Value]]) -> list[Pair]:
    """The digits of pairs as few large numbers: one comparison does for the fields of a struct.

    Digits lie side by side as in the words of a state, so that those of a slot move together.
    """
    g, used = algebra.graph, WORD
    words: list[Pair] = []
    for pair in pairs:
        for x, y in _digits(algebra, *pair):
            if x is y:
                x = y = g.int(x.low)
            low = min(x.low, y.low)
            bits = max((max(x.high, y.high) - low).bit_length(), 1)
            x, y = g.sub(x, g.int(low)), g.sub(y, g.int(low))
            used = _append(g, words, used, (x, y), bits)
            x, y = words[-1]
            if x.high < y.low or y.high < x.low:
                return words  # what follows makes no difference
    return words


def _digits(algebra: Algebra, a: Value, b: Value) -> Iterator[Pair]:
    """Numbers of two values: the first ones that differ are in the order of the values."""
    g = algebra.graph
    if isinstance(a, Nothing) or isinstance(b, Nothing):
        return
    if isinstance(a, Scalar | OptionalCode) and isinstance(b, Scalar | OptionalCode):
        one, two = (g.number(n) if n.boolean else n for n in (a.node, b.node))
        yield one, two
    elif isinstance(a, Option) and isinstance(b, Option):
        yield g.number(a.present), g.number(b.present)
        yield from _if_there(algebra, (a.present, b.present), (a.held, b.held))
    elif isinstance(a, Composite) and isinstance(b, Composite):
        for x, y in zip(a.parts, b.parts, strict=True):
            yield from _digits(algebra, x, y)
    elif isinstance(a, SymbolicSet) and isinstance(b, SymbolicSet):  # as the bits of a number
        a, b = algebra.sets.aligned(a, b)
        yield from zip(reversed(a.masks), reversed(b.masks), strict=True)
    elif isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSeq):  # shorter ones first
        yield a.length, b.length
        for i, pair in enumerate(zip(a.parts, b.parts, strict=False)):
            there = g.lt(g.int(i), a.length), g.lt(g.int(i), b.length)
            yield from _if_there(algebra, there, pair)
    elif isinstance(a, SymbolicUnion) and isinstance(b, SymbolicUnion):
        yield from zip((a.tag, *a.codes), (b.tag, *b.codes), strict=True)
    else:
        raise SpecError("a set with a capacity in another set has no order", None, "use a list")


def _if_there(algebra: Algebra, there: Pair, pair: tuple[Value, Value]) -> Iterator[Pair]:
    """The digits of two values, 0 for one that is not there."""
    g = algebra.graph
    for x, y in _digits(algebra, *pair):
        yield g.select(there[0], x, g.int(0)), g.select(there[1], y, g.int(0))


def least_leaves(graph: Graph, orbit: Sequence[Sequence[Node]], layout: Layout) -> list[Node]:
    """Of the leaves of some states, those that come first in the order of the layout."""
    best = list(orbit[0])
    for other in orbit[1:]:
        before = _before(graph, other, best, layout)
        best = [graph.select(before, a, b) for a, b in zip(other, best, strict=True)]
    return best


def _before(graph: Graph, a: Sequence[Node], b: Sequence[Node], layout: Layout) -> Node:
    """Whether leaves come before others."""
    words: list[Pair] = []
    used = WORD
    for place in layout.order:
        x, y = a[place], b[place]
        if x is not y:  # equal leaves make no difference
            used = _append(graph, words, used, (x, y), layout.leaves[place].bits)
    return first_difference(graph, words)


def _append(graph: Graph, words: list[Pair], used: int, pair: Pair, bits: int) -> int:
    """Appends digits to the last words if there is room; returns the bits of the last words."""
    used += bits
    if used > WORD:
        words.append(pair)
        return bits
    high, other = (graph.shift_left(node, bits) for node in words.pop())
    words.append((graph.add(high, pair[0]), graph.add(other, pair[1])))
    return used


def first_difference(graph: Graph, words: Sequence[Pair]) -> Node:
    """Whether the first pair of numbers that differ is in order."""
    found = graph.false
    for x, y in reversed(words):
        found = graph.either(graph.lt(x, y), graph.both(graph.eq(x, y), found))
    return found
