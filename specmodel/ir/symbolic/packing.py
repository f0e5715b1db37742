"""Symbolic values from the leaves of a state and from constants, and back to leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from specmodel.domains import (
    MOST_PLACES,
    BagDomain,
    BoolDomain,
    Domain,
    IntDomain,
    OptionDomain,
    ProductDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    UnionDomain,
)
from specmodel.ir.layout import codes_of, payload_of, width
from specmodel.ir.symbolic.elements import bounded, chunks, limited, split
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.sets import Sets
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
    total,
)


class LeafValues:
    """Symbolic values over one graph, made from leaves, and written to them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.sets = Sets(graph)
        self.chosen: list[tuple[Node, Value, tuple[Value, ...]]] = []
        """The slots that were taken by a number, their entries' keys, and the keys of all slots."""

    def state(self, domain: Domain, leaves: Sequence[Node]) -> Value:
        """The value of all leaves of a state; kept, as most runs begin in the same state."""
        known = self.graph.states.setdefault(tuple(leaf.id for leaf in leaves), [])
        for of, value in known:
            if of is domain:
                return value
        known.append((domain, self.unpacked(domain, iter(leaves))))
        return known[-1][1]

    def unpacked(self, domain: Domain, leaves: Iterator[Node]) -> Value:
        """The value of leaves. Takes as many leaves as the domain has."""
        g = self.graph
        if isinstance(domain, OptionDomain):
            if domain.scalar and not has_own_bounds(domain.inner):
                return OptionalCode(next(leaves))
            if domain.scalar:
                leaf = next(leaves)
                index = g.add(leaf, g.int(-1))
                return Option(g.negate(g.eq(leaf, g.int(0))), self.from_index(domain.inner, index))
            present = g.eq(next(leaves), g.int(1))
            return Option(present, self.unpacked(domain.inner, leaves))
        if domain.scalar:
            return self.from_index(domain, next(leaves))
        if isinstance(domain, ProductDomain):
            return Composite(tuple(self.unpacked(place, leaves) for place in domain.places))
        if isinstance(domain, SlottedDomain):
            return self._unpacked_slots(domain, leaves)
        if isinstance(domain, SeqDomain):
            length = next(leaves)
            held = tuple(self.unpacked(domain.element, leaves) for _ in range(domain.capacity))
            return SymbolicSeq(length, held, domain.element)
        if isinstance(domain, SetDomain):
            masks = [next(leaves) for _ in chunks(domain.element)]
            return SymbolicSet(domain.element, tuple(reversed(masks)))
        if isinstance(domain, UnionDomain):
            return SymbolicUnion(next(leaves), tuple(next(leaves) for _ in payload_of(domain)))
        return Scalar(g.int(0))  # a type whose only value is None

    def _unpacked_slots(self, domain: SlottedDomain, leaves: Iterator[Node]) -> SymbolicSeq:
        g, taken = self.graph, list(islice(leaves, width(domain)))
        held = self.unpacked(domain.slots, iter(taken))
        assert isinstance(held, SymbolicSeq)
        # A leaf of another state is a node that may stand in its slot by chance, unless it is a
        # leaf of this one: whatever lies past the end of a collection made on the way is written as
        # a choice.
        held = replace(held, stored=all(leaf.op == "leaf" for leaf in taken))
        if not isinstance(domain, BagDomain):
            return held
        return replace(held, copies=g.minimum(total(g, held), g.int(domain.capacity)))

    def from_index(self, domain: Domain, index: Node) -> Scalar:
        """The value at an index of a scalar domain."""
        g = self.graph
        if isinstance(domain, BoolDomain):
            return Scalar(g.eq(index, g.int(1)))
        return Scalar(g.add(index, g.int(domain.low)) if isinstance(domain, IntDomain) else index)

    def to_index(self, domain: Domain, value: Scalar) -> Node:
        """The index of a value in a scalar domain."""
        g = self.graph
        node = g.number(value.node) if value.node.boolean else value.node
        return g.sub(node, g.int(domain.low)) if isinstance(domain, IntDomain) else node

    def packed(
        self,
        domain: Domain,
        value: Value,
        out: list[Node],
        old: tuple[Value, Sequence[Node]] | None = None,
    ) -> None:
        """Appends the leaves of a domain's value in canonical form to `out`. It checks no bounds.

        `old` is a value of the same domain with its leaves: they are used again for a part that is
        the same object.
        """
        g = self.graph
        if old and value is old[0]:
            out.extend(old[1][: width(domain)])
        elif isinstance(domain, OptionDomain):
            if isinstance(value, OptionalCode):
                out.append(value.node)
                return
            assert isinstance(value, Option)
            inner: list[Node] = []
            self.packed(domain.inner, value.held, inner)
            if domain.scalar:
                code = g.add(inner[0], g.int(1))
                out.append(g.select(value.present, code, g.int(0)))
                return
            out.append(g.number(value.present))
            out.extend(g.select(value.present, node, g.int(0)) for node in inner)
        elif isinstance(value, Scalar):
            out.append(self.to_index(domain, value))
        elif isinstance(value, Composite):
            assert isinstance(domain, ProductDomain)
            before = old[0].parts if old and isinstance(old[0], Composite) else ()
            start = 0
            for i, (place, part) in enumerate(zip(domain.places, value.parts, strict=True)):
                self.packed(place, part, out, (before[i], old[1][start:]) if old else None)
                start += width(place)
        elif isinstance(value, SymbolicSet):
            out.extend(reversed(value.masks))
        elif isinstance(value, SymbolicUnion):
            out.extend((value.tag, *value.codes))
        elif isinstance(value, SymbolicSeq):
            slots = domain.slots if isinstance(domain, SlottedDomain) else domain
            assert isinstance(slots, SeqDomain)
            self._packed_seq(slots, value, out)
        else:
            raise AssertionError(value)

    def _packed_seq(self, domain: SeqDomain, value: SymbolicSeq, out: list[Node]) -> None:
        g = self.graph
        out.append(value.length)
        for position in range(domain.capacity):
            part: list[Node] = []
            if position < len(value.parts):
                self.packed(domain.element, value.parts[position], part)
                if value.blank != domain.element:
                    there = g.lt(g.int(position), value.length)
                    part = [g.select(there, node, g.int(0)) for node in part]
            else:
                part = [g.int(0)] * width(domain.element)
            out.extend(part)

    def zero(self, domain: Domain) -> Value:
        """The value whose leaves are all 0."""
        return self.unpacked(domain, iter([self.graph.int(0)] * width(domain)))

    def constant(self, domain: Domain, value: Any) -> Value:
        """A constant as a symbolic value of a domain."""
        g = self.graph
        if isinstance(domain, BoolDomain):
            return Scalar(g.true if value else g.false)
        if isinstance(domain, IntDomain):
            return Scalar(g.int(int(value)))
        if isinstance(domain, OptionDomain):
            if domain.scalar and not has_own_bounds(domain.inner):
                return OptionalCode(g.int(domain.index(value)))
            if value is None:
                return Option(g.false, self.stand_in(domain.inner))
            return Option(g.true, self.constant(domain.inner, value))
        if domain.scalar:
            return Scalar(g.int(domain.index(value)))
        if isinstance(domain, ProductDomain):
            return Composite(tuple(map(self.constant, domain.places, domain.split(value))))
        if isinstance(domain, SlottedDomain):
            return self.constant(domain.slots, domain.entries(value))
        if isinstance(domain, SetDomain) and bounded(domain.element, value).size > MOST_PLACES:
            held = tuple(self.constant(domain.element, v) for v in value)
            return SymbolicSeq(g.int(len(held)), held, None)
        if isinstance(domain, SetDomain):
            element = limited(bounded(domain.element, value))
            mask = SetDomain(element).index(value)
            return SymbolicSet(element, tuple(g.int(m) for m in split(mask, element)))
        if isinstance(domain, SeqDomain):
            held = tuple(self.constant(domain.element, v) for v in value)
            return SymbolicSeq(g.int(len(held)), held, None)
        if isinstance(domain, UnionDomain):
            tag, *codes = map(g.int, codes_of(domain, value))
            return SymbolicUnion(tag, tuple(codes))
        return Scalar(g.int(0))  # None, the only value of its type

    def member(self, domain: Domain, index: int, kind: Domain) -> Value:
        """The value at an index of a domain, as one of a type: loops over sets stop at the same
        ones many times."""
        *_, known = self.graph.members.setdefault((id(domain), id(kind)), (domain, kind, {}))
        if index not in known:
            known[index] = self.constant(kind, domain.at(index))
        return known[index]

    def stand_in(self, domain: Domain) -> Value:
        """Any value of a type, for a place that is never read; Nothing if the type has none."""
        return self.constant(domain, first_of(domain)) if bounded(domain, ()).size else Nothing()


def has_own_bounds(domain: Domain) -> bool:
    """Whether a scalar domain may have other bounds in other places, and so other codes."""
    return isinstance(domain, IntDomain | OptionDomain)


def first_of(domain: Domain) -> Any:
    """Any value of a domain, for a place that is never read."""
    return 0 if isinstance(domain, IntDomain) else bounded(domain, ()).at(0)
