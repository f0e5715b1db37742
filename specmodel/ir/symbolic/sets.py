"""Symbolic sets: masks over an element domain, which for ints has the bounds that a set needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.domains import Domain, IntDomain, OptionDomain
from specmodel.ir.layout import SET_CHUNK
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.values import Set


class Sets:
    """Operations on symbolic sets over one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def member_at(self, value: Set, index: int) -> Node:
        """Whether the element at an index of the set's element domain is in it."""
        g = self.graph
        chunk, bit = divmod(index, SET_CHUNK)
        mask = g.band(value.masks[chunk], g.int(1 << bit))
        return g.negate(g.eq(mask, g.int(0)))

    def over(self, value: Set, element: Domain) -> Set:
        """The set, with masks over a wider domain, or ints of other bounds (some drop out)."""
        if value.element == element:
            return value
        g = self.graph
        masks = [g.int(0) for _ in chunks(element)]
        for index in range(value.element.size):
            target = position(element, value.element.at(index))
            if target is not None:
                chunk, bit = divmod(target, SET_CHUNK)
                one = g.shift_left(g.number(self.member_at(value, index)), bit)
                masks[chunk] = g.bor(masks[chunk], one)
        return Set(element, tuple(masks))

    def aligned(self, a: Set, b: Set) -> tuple[Set, Set]:
        """Two sets over one element domain."""
        element = widest(a.element, b.element)
        return self.over(a, element), self.over(b, element)

    def mask_of(self, element: Domain, index: Node, condition: Node) -> tuple[Node, ...]:
        """Masks with the bit of an element set, or none where the condition fails."""
        g = self.graph
        masks: list[Node] = []
        for position, width in enumerate(chunks(element)):
            low = position * SET_CHUNK
            if index.constant:
                local = index.value - low
                bit = g.int(1 << local if 0 <= local < width else 0)
            else:
                local_index = g.add(index, g.int(-low))
                bit = g.bit(local_index, width)
                within = g.both(g.le(g.int(low), index), g.lt(index, g.int(low + width)))
                bit = g.select(within, bit, g.int(0))
            masks.append(g.select(condition, bit, g.int(0)))
        return tuple(masks)

    def inside(self, element: Domain, value: Set) -> Node:
        """Whether the elements of a set are within the bounds of an element domain."""
        g = self.graph
        if value.element == element or not isinstance(element, IntDomain):
            return g.true
        parts = [
            g.negate(self.member_at(value, i))
            for i in range(value.element.size)
            if not element.low <= value.element.at(i) <= element.high
        ]
        return g.both(*parts)


def chunks(element: Domain) -> list[int]:
    """The widths of the masks of a set over an element domain."""
    return [min(SET_CHUNK, element.size - low) for low in range(0, element.size, SET_CHUNK)]


def split(mask: int, element: Domain) -> list[int]:
    """A mask over an element domain as its chunks."""
    return [mask >> SET_CHUNK * i & ((1 << w) - 1) for i, w in enumerate(chunks(element))]


def bounded(element: Domain, values: Sequence[Any]) -> Domain:
    """The domain for set elements: for ints, the bounds of the values there are."""
    if not isinstance(element, IntDomain):
        return element
    return IntDomain(min(values, default=0), max(values, default=0))


def position(domain: Domain, value: Any) -> int | None:
    """The index of a value in a domain of its type, or None if its ints are out of bounds."""
    if isinstance(domain, OptionDomain):
        inner = 0 if value is None else position(domain.inner, value)
        return inner if value is None or inner is None else inner + 1
    if isinstance(domain, IntDomain):
        return domain.index(value) if domain.low <= value <= domain.high else None
    return domain.index(value)


def widest(a: Domain, b: Domain) -> Domain:
    """An element domain for the sets over two."""
    if a == b or b.size == 0:
        return a
    if a.size == 0:
        return b
    if isinstance(a, IntDomain) and isinstance(b, IntDomain):
        return IntDomain(min(a.low, b.low), max(a.high, b.high))
    inner = [d.inner if isinstance(d, OptionDomain) else d for d in (a, b)]
    return OptionDomain(widest(inner[0], inner[1]))
