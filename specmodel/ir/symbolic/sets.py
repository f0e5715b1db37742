"""Operations on symbolic sets: masks over an element domain (`elements`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from specmodel.domains import Domain
from specmodel.ir.layout import SET_CHUNK
from specmodel.ir.symbolic.elements import chunks, limited, position, widest
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.values import SymbolicSet


class Sets:
    """Operations on symbolic sets over one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def member_at(self, value: SymbolicSet, index: int) -> Node:
        """The condition that a set has the element with an index in its element domain."""
        g = self.graph
        chunk, bit = divmod(index, SET_CHUNK)
        key = value.masks[chunk].id, bit
        if key not in g.bits:
            mask = g.band(value.masks[chunk], g.int(1 << bit))
            g.bits[key] = g.negate(g.eq(mask, g.int(0)))
        return g.bits[key]

    def of_bits(self, element: Domain, bits: Sequence[Node]) -> SymbolicSet:
        """The set that has each element of a domain under a condition."""
        g, masks = self.graph, list[Node]()
        for low in range(0, len(bits), SET_CHUNK):
            mask, kept = g.int(0), dict[int, tuple[Node, int]]()
            for i, bit in enumerate(bits[low : low + SET_CHUNK]):
                if (whole := _with_bit(bit, 1 << i)) is None:
                    mask = g.bor(mask, g.shift_left(g.number(bit), i))
                else:
                    kept[whole.id] = whole, kept.get(whole.id, (whole, 0))[1] | 1 << i
            for whole, places in kept.values():
                mask = g.bor(mask, g.band(whole, g.int(places)))
            masks.append(mask)
        return SymbolicSet(element, tuple(masks))

    def count(self, value: SymbolicSet) -> Node:
        """The number of members of a set."""
        return reduce(self.graph.add, map(self.graph.popcount, value.masks), self.graph.int(0))

    def over(self, value: SymbolicSet, element: Domain) -> SymbolicSet:
        """The set with masks over another element domain; elements outside that domain are lost."""
        if value.element == element:
            return value
        bits = [self.graph.false] * element.size
        for index in range(value.element.size):
            target = position(element, value.element.at(index))
            if target is not None:
                bits[target] = self.member_at(value, index)
        return self.of_bits(element, bits)

    def aligned(self, a: SymbolicSet, b: SymbolicSet) -> tuple[SymbolicSet, SymbolicSet]:
        """Two sets over one element domain."""
        element = widest(a.element, b.element)
        if element not in (a.element, b.element):
            limited(element)
        return self.over(a, element), self.over(b, element)

    def mask_of(self, element: Domain, index: Node, condition: Node) -> tuple[Node, ...]:
        """Masks with the bit of one element set if the condition is true, else masks of 0."""
        g = self.graph
        masks: list[Node] = []
        for number, width in enumerate(chunks(element)):
            low = number * SET_CHUNK
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

    def inside(self, element: Domain, value: SymbolicSet) -> Node:
        """The condition that the elements of a set are within an element domain."""
        g = self.graph
        if value.element == element:
            return g.true
        parts = [
            g.negate(self.member_at(value, i))
            for i in range(value.element.size)
            if position(element, value.element.at(i)) is None
        ]
        return g.both(*parts)


def _with_bit(condition: Node, bit: int) -> Node | None:
    """The mask of which a condition says that it has a bit: see `Sets.member_at`."""
    denied = condition.op == "not"
    equation = condition.args[0] if denied else condition
    if equation.op != "eq" or equation.args[0].op != "band":
        return None
    (mask, one), other = equation.args[0].args, equation.args[1]
    if not one.constant or not other.constant or one.value != bit:
        return None
    return mask if other.value == (0 if denied else bit) else None
