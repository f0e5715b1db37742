"""Operations on symbolic values: from and to leaves, selection, equality, bounds, indexing.

All are pure. The caller checks the conditions under which an operand is outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from specmodel.ir.layout import SET_CHUNK, codes_of, leaves_of, payload_of, width
from specmodel.ir.nodes import NOTHING
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
)


class Algebra:
    """Operations on symbolic values over one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.sets = Sets(graph)

    # Between leaves and values

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
                return Option(g.negate(g.eq(leaf, g.int(0))), self._from_index(domain.inner, index))
            present = g.eq(next(leaves), g.int(1))
            return Option(present, self.unpacked(domain.inner, leaves))
        if domain.scalar:
            return self._from_index(domain, next(leaves))
        if isinstance(domain, ProductDomain):
            return Composite(tuple(self.unpacked(place, leaves) for place in domain.places))
        if isinstance(domain, SlottedDomain):
            from specmodel.ir.symbolic.slots import unpacked  # which is made of this algebra

            return unpacked(self, domain, leaves)
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

    def _from_index(self, domain: Domain, index: Node) -> Scalar:
        g = self.graph
        if isinstance(domain, BoolDomain):
            return Scalar(g.eq(index, g.int(1)))
        return Scalar(g.add(index, g.int(domain.low)) if isinstance(domain, IntDomain) else index)

    def _to_index(self, domain: Domain, value: Scalar) -> Node:
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
            out.append(self._to_index(domain, value))
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

    # Selection and equality

    def select(self, condition: Node, a: Value, b: Value) -> Value:
        """`a` where the condition is true, else `b`."""
        g = self.graph
        if a is b or (condition.constant and condition.value) or isinstance(b, Nothing):
            return a
        if condition.constant or isinstance(a, Nothing):
            return b
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            return Scalar(g.select(condition, a.node, b.node))
        if isinstance(a, OptionalCode) and isinstance(b, OptionalCode):
            return OptionalCode(g.select(condition, a.node, b.node))
        if isinstance(a, Option) and isinstance(b, Option):
            present = g.select(condition, a.present, b.present)
            return Option(present, self.select(condition, a.held, b.held))
        if isinstance(a, Composite) and isinstance(b, Composite):
            return Composite(self._each(condition, a.parts, b.parts))
        a, b = self.alike(a, b)
        if isinstance(a, SymbolicSet) and isinstance(b, SymbolicSet):
            a, b = self.sets.aligned(a, b)
            masks = zip(a.masks, b.masks, strict=True)
            return SymbolicSet(a.element, tuple(g.select(condition, x, y) for x, y in masks))
        if isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSeq):
            return self._select_seq(condition, a, b)
        if isinstance(a, SymbolicUnion) and isinstance(b, SymbolicUnion):
            codes = zip(a.codes, b.codes, strict=True)
            tag = g.select(condition, a.tag, b.tag)
            return SymbolicUnion(tag, tuple(g.select(condition, x, y) for x, y in codes))
        raise AssertionError((a, b))

    def _each(self, condition: Node, a: Sequence[Value], b: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(self.select(condition, x, y) for x, y in zip(a, b, strict=True))

    def _select_seq(self, condition: Node, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
        length = self.graph.select(condition, a.length, b.length)
        shorter, longer = sorted((a.parts, b.parts), key=len)
        common = len(shorter)
        held = list(self._each(condition, a.parts[:common], b.parts[:common]))
        same = len(shorter) == len(longer)
        blank = a.blank if same and a.blank == b.blank else None
        copies = None
        if a.copies is not None and b.copies is not None:
            copies = self.graph.select(condition, a.copies, b.copies)
        return SymbolicSeq(length, (*held, *longer[common:]), blank, copies=copies)

    def equal(self, a: Value, b: Value) -> Node:
        """The condition that two values of one type are equal."""
        g = self.graph
        if isinstance(a, Nothing) or isinstance(b, Nothing):
            return g.false  # the value of an absent optional, which is never read
        if isinstance(a, Scalar | OptionalCode) and isinstance(b, Scalar | OptionalCode):
            return g.eq(a.node, b.node)
        if isinstance(a, Option) and isinstance(b, Option):
            both = g.both(a.present, b.present)
            neither = g.both(g.negate(a.present), g.negate(b.present))
            return g.either(neither, g.both(both, self.equal(a.held, b.held)))
        if isinstance(a, Composite) and isinstance(b, Composite):
            return g.both(*map(self.equal, a.parts, b.parts))
        a, b = self.alike(a, b)
        if isinstance(a, SymbolicSet) and isinstance(b, SymbolicSet):
            a, b = self.sets.aligned(a, b)
            return g.both(*(g.eq(x, y) for x, y in zip(a.masks, b.masks, strict=True)))
        if isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSeq):
            parts = [g.eq(a.length, b.length)]
            for i, (x, y) in enumerate(zip(a.parts, b.parts, strict=False)):
                past = g.le(a.length, g.int(i))
                parts.append(g.either(past, self.equal(x, y)))
            return g.both(*parts)
        if isinstance(a, SymbolicUnion) and isinstance(b, SymbolicUnion):
            return g.both(g.eq(a.tag, b.tag), *map(g.eq, a.codes, b.codes))
        raise AssertionError((a, b))

    def alike(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Two sets, both as masks or both as slots; other values unchanged."""
        if isinstance(a, SymbolicSet) == isinstance(b, SymbolicSet):
            return a, b
        from specmodel.ir.symbolic.slots import listed  # it uses this class

        if isinstance(a, SymbolicSet) and isinstance(b, SymbolicSeq):
            return listed(self, a), b
        if isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSet):
            return a, listed(self, b)
        return a, b

    # Optionals

    def present(self, value: Value) -> Node:
        """The condition that an optional is not None."""
        if isinstance(value, OptionalCode):
            return self.graph.negate(self.graph.eq(value.node, self.graph.int(0)))
        assert isinstance(value, Option)
        return value.present

    def held(self, value: Value, inner: Domain) -> Value:
        """The value of an optional; any value where it is None."""
        if isinstance(value, OptionalCode):
            return self._from_index(inner, self.graph.add(value.node, self.graph.int(-1)))
        assert isinstance(value, Option)
        return value.held

    def some(self, value: Value, inner: Domain) -> Value:
        """A value as an optional."""
        if inner.scalar and not has_own_bounds(inner):
            assert isinstance(value, Scalar)
            return OptionalCode(self.graph.add(self._to_index(inner, value), self.graph.int(1)))
        return Option(self.graph.true, value)

    # Indexes of key and element domains

    def index(self, domain: Domain, value: Value) -> Node:
        """The index of a value in a finite domain; any number where it is outside the domain."""
        g = self.graph
        if domain is NOTHING:
            return g.int(0)
        if isinstance(value, Scalar):
            return self._to_index(domain, value)
        if isinstance(domain, SlottedDomain):
            assert isinstance(value, SymbolicSeq)
            return self._index_of_list(domain.slots, value)
        if isinstance(value, SymbolicSeq) and isinstance(domain, SetDomain):
            from specmodel.ir.symbolic.slots import masked  # it uses this class

            value = masked(self, value, domain)
        if isinstance(value, SymbolicSeq):
            assert isinstance(domain, SeqDomain)
            return self._index_of_list(domain, value)
        if isinstance(value, OptionalCode):
            return value.node
        if isinstance(value, Option):
            assert isinstance(domain, OptionDomain)
            inner = self.index(domain.inner, value.held)
            return g.select(value.present, g.add(inner, g.int(1)), g.int(0))
        if isinstance(value, Composite):
            assert isinstance(domain, ProductDomain)
            result = g.int(0)
            for place, held in zip(domain.places, value.parts, strict=True):
                result = g.add(g.mul(result, g.int(place.size)), self.index(place, held))
            return result
        if isinstance(value, SymbolicSet):
            assert isinstance(domain, SetDomain)
            value = self.sets.over(value, domain.element)
            result = g.int(0)
            for position, mask in enumerate(value.masks):
                result = g.bor(result, g.shift_left(mask, SET_CHUNK * position))
            return result
        if isinstance(value, SymbolicUnion):
            assert isinstance(domain, UnionDomain)
            return self._index_of_union(domain, value)
        raise AssertionError(value)

    def _index_of_list(self, domain: SeqDomain, value: SymbolicSeq) -> Node:
        """The index of a list: shorter lists come first; lists of one length are like numbers."""
        g, radix = self.graph, domain.element.size
        rank = result = g.int(0)
        before = 0
        for length, held in enumerate(value.parts[: domain.capacity], start=1):
            rank = g.add(g.mul(rank, g.int(radix)), self.index(domain.element, held))
            before += radix ** (length - 1)
            here = g.eq(value.length, g.int(length))
            result = g.select(here, g.add(rank, g.int(before)), result)
        return result

    def _index_of_union(self, domain: UnionDomain, value: SymbolicUnion) -> Node:
        """The index of a value in the union's domain."""
        g, found = self.graph, self.graph.int(0)
        for tag, (part, start) in enumerate(zip(domain.alternatives, domain.starts, strict=True)):
            if part.size:
                own = self.index(part, self.narrowed(domain, value, tag))
                here = g.eq(value.tag, g.int(tag))
                found = g.select(here, g.add(own, g.int(start)), found)
        return found

    def narrowed(self, domain: UnionDomain, value: SymbolicUnion, tag: int) -> Value:
        """The value of a union as a value of the alternative with number `tag`.

        In states where the union has another tag, the leaves may have any codes. They are cut to
        the alternative's bounds, because the interval of a node has to be true in every state.
        """
        part = domain.alternatives[tag]
        pairs = zip(value.codes, leaves_of(part), strict=False)
        return self.unpacked(part, iter([self._within(code, leaf.size) for code, leaf in pairs]))

    def _within(self, code: Node, size: int) -> Node:
        g = self.graph
        if code.low < 0:
            code = g.maximum(code, g.int(0))
        return g.minimum(code, g.int(size - 1)) if code.high >= size else code

    def inside(self, domain: Domain, value: Value) -> Node:
        """The condition that a value of a domain's type is within the bounds of the domain."""
        g = self.graph
        if domain is NOTHING:
            return g.false
        if isinstance(value, Scalar):
            if not isinstance(domain, IntDomain):
                return g.true
            low = g.le(g.int(domain.low), value.node)
            return g.both(low, g.le(value.node, g.int(domain.high)))
        if isinstance(value, OptionalCode | SymbolicUnion):
            return g.true
        if isinstance(value, Option):
            assert isinstance(domain, OptionDomain)
            return g.either(g.negate(value.present), self.inside(domain.inner, value.held))
        if isinstance(value, Composite):
            assert isinstance(domain, ProductDomain)
            return g.both(*map(self.inside, domain.places, value.parts))
        if isinstance(value, SymbolicSet):
            assert isinstance(domain, SetDomain)
            members = self.sets.inside(domain.element, value)
            if not isinstance(domain, SlottedDomain):
                return members
            return g.both(members, g.le(self.sets.count(value), g.int(domain.capacity)))
        if isinstance(value, SymbolicSeq):
            assert isinstance(domain, SeqDomain | SetDomain | SlottedDomain)
            room, held = g.true, value.parts
            if isinstance(domain, BagDomain):  # as many members have room, and as many copies
                from specmodel.ir.symbolic.slots import members, total  # they use this class

                room = g.le(total(self, value), g.int(domain.capacity))
                held = members(value).parts
            elif isinstance(domain, SlottedDomain):
                domain = domain.slots
            if isinstance(domain, SeqDomain):
                room = g.le(value.length, g.int(domain.capacity))
            parts = [room]
            for i, part in enumerate(held):
                past = g.le(value.length, g.int(i))
                parts.append(g.either(past, self.inside(domain.element, part)))
            return g.both(*parts)
        raise AssertionError(value)

    def at_index(self, index: Node, values: Sequence[Value]) -> Value:
        """The value at an index; any of the values where the index is out of range."""
        if index.constant:
            return values[min(max(index.value, 0), len(values) - 1)]
        g = self.graph
        high = max(min(index.high, len(values) - 1), 0)  # a value out of range is never read
        low = min(max(index.low, 0), high)
        found = values[high]
        for i in range(high - 1, low - 1, -1):
            found = self.select(g.eq(index, g.int(i)), values[i], found)
        return found

    def store_at(
        self, index: Node, values: Sequence[Value], change: Callable[[Value], Value]
    ) -> tuple[Value, ...]:
        """The values, with `change` applied to the value at an index."""
        g = self.graph
        return tuple(
            self.select(g.eq(index, g.int(i)), change(held), held)
            if index.low <= i <= index.high
            else held
            for i, held in enumerate(values)
        )


def has_own_bounds(domain: Domain) -> bool:
    """Whether a scalar domain may have other bounds in other places, and so other codes."""
    return isinstance(domain, IntDomain | OptionDomain)


def first_of(domain: Domain) -> Any:
    """Any value of a domain, for a place that is never read."""
    return 0 if isinstance(domain, IntDomain) else bounded(domain, ()).at(0)
