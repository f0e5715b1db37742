"""Entries of a collection put into the order of slots by a sorting network.

An entry is a few words, whose order as numbers is the order of the entries, so that a comparator of
the network is a comparison and two choices for each word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from specmodel.domains import Domain
from specmodel.ir.layout import leaves_of
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.order import WORD, first_difference
from specmodel.ir.symbolic.values import SymbolicSeq, Value

Words = tuple[Node, ...]


def sorted_entries(
    algebra: Algebra, entries: Iterable[tuple[Node, Value]], element: Domain, capacity: int
) -> SymbolicSeq:
    """The collection of the entries whose conditions hold, no two of which have the same key then.

    It has the first entries only if there are more than its capacity.
    """
    g, place = algebra.graph, _Places([leaf.bits for leaf in leaves_of(element)])
    length, found = g.int(0), list[Words]()
    for there, entry in entries:
        leaves: list[Node] = []
        algebra.packed(element, entry, leaves)
        first, *rest = place.words(algebra, leaves)
        found.append((g.select(there, first, g.int(1 << WORD)), *rest))  # others come last
        length = g.add(length, g.number(there))
    for a, b in network(len(found)):
        exchanged = first_difference(g, list(zip(found[b], found[a], strict=True)))
        pairs = list(zip(found[a], found[b], strict=True))
        found[a] = tuple(g.select(exchanged, y, x) for x, y in pairs)
        found[b] = tuple(g.select(exchanged, x, y) for x, y in pairs)
    parts: list[Value] = []
    for number, words in enumerate(found[:capacity]):
        there = g.lt(g.int(number), length)
        held = [g.select(there, word, g.int(0)) for word in words]
        parts.append(algebra.unpacked(element, place.leaves(algebra, held)))
    return SymbolicSeq(length, tuple(parts), element)


class _Places:
    """The places of leaves in words of WORD bits: the first leaf has the highest bits."""

    def __init__(self, bits: Sequence[int]) -> None:
        self.bits = bits
        self.starts: list[tuple[int, int]] = []
        """The word of each leaf, and its lowest bit in it."""
        word, left = 0, WORD
        for size in bits:
            if size > left:
                word, left = word + 1, WORD
            left -= size
            self.starts.append((word, left))

    def words(self, algebra: Algebra, leaves: Sequence[Node]) -> list[Node]:
        """Leaves as words. Values that do not fit, which are never read, are cut."""
        g = algebra.graph
        made = [g.int(0)] * (self.starts[-1][0] + 1 if self.starts else 1)
        for (word, low), bits, leaf in zip(self.starts, self.bits, leaves, strict=True):
            if leaf.low < 0 or leaf.high >= 1 << bits:
                leaf = g.mod(leaf, g.int(1 << bits))
            made[word] = g.add(made[word], g.shift_left(leaf, low))
        return made

    def leaves(self, algebra: Algebra, words: Sequence[Node]) -> Iterator[Node]:
        """The leaves of words."""
        g = algebra.graph
        for (word, low), bits in zip(self.starts, self.bits, strict=True):
            yield g.band(g.shift_right(words[word], low), g.int((1 << bits) - 1))


def network(count: int) -> Iterator[tuple[int, int]]:
    """The comparators that sort some entries, by their places: Batcher's merge exchange.

    Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M.
    """
    top = 1 << max((count - 1).bit_length() - 1, 0)
    stage = top
    while stage:
        way, rest, distance = top, 0, stage
        while True:
            for place in range(count - distance):
                if place & stage == rest:
                    yield place, place + distance
            if way == stage:
                break
            distance, way, rest = way - stage, way // 2, stage
        stage //= 2
