"""Operations on symbolic values: selection, equality, optionals, bounds, indexing.

All are pure. The caller checks the conditions under which an operand is outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from specmodel.domains import (
    BagDomain,
    Domain,
    IntDomain,
    OptionDomain,
    ProductDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    UnionDomain,
)
from specmodel.errors import SpecError
from specmodel.ir.layout import SET_CHUNK, leaves_of
from specmodel.ir.nodes import NOTHING
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.packing import LeafValues, has_own_bounds
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
    first,
    total,
)

MOST_LISTED = 256
"""The most possible members of a set of masks that is converted to slots."""


class Algebra(LeafValues):
    """Operations on symbolic values over one graph."""

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
        if isinstance(a, SymbolicSet) and isinstance(b, SymbolicSeq):
            return self.listed(a), b
        if isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSet):
            return a, self.listed(b)
        return a, b

    # Sets and slots

    def appended(self, held: SymbolicSeq, item: Value, condition: Node) -> SymbolicSeq:
        """A collection with an entry after all others if a condition is true."""
        g = self.graph
        slots = [
            self.select(g.both(condition, g.eq(held.length, g.int(i))), item, part)
            for i, part in enumerate(held.parts)
        ]
        if held.length.high >= len(slots):
            slots.append(item)
        return SymbolicSeq(g.add(held.length, g.number(condition)), tuple(slots), None)

    def listed(self, value: SymbolicSet | SymbolicSeq) -> SymbolicSeq:
        """A set of masks as slots. Raises SpecError if it has too many possible members."""
        if isinstance(value, SymbolicSeq):
            return value
        element = value.element
        if element.size > MOST_LISTED:
            what = f"a set with a place for each of {element.size:,} members stands beside one"
            raise SpecError(f"{what} with a capacity", None, "give both a capacity")
        found = SymbolicSeq(self.graph.int(0), (), None)
        for i in range(element.size):
            present = self.sets.member_at(value, i)
            if present is not self.graph.false:
                found = self.appended(found, self.constant(element, element.at(i)), present)
        return found

    def masked(self, value: SymbolicSeq, domain: SetDomain) -> SymbolicSet:
        """A set of slots as masks over a domain that contains its members."""
        g, element = self.graph, domain.element
        made = self.zero(domain)
        assert isinstance(made, SymbolicSet)
        masks = made.masks
        for i, part in enumerate(value.parts):
            there = g.both(g.lt(g.int(i), value.length), self.inside(element, part))
            bits = self.sets.mask_of(element, self.index(element, part), there)
            masks = tuple(map(g.bor, masks, bits))
        return SymbolicSet(element, masks)

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
            return self.from_index(inner, self.graph.add(value.node, self.graph.int(-1)))
        assert isinstance(value, Option)
        return value.held

    def some(self, value: Value, inner: Domain) -> Value:
        """A value as an optional."""
        if inner.scalar and not has_own_bounds(inner):
            assert isinstance(value, Scalar)
            return OptionalCode(self.graph.add(self.to_index(inner, value), self.graph.int(1)))
        return Option(self.graph.true, value)

    # Indexes of key and element domains

    def index(self, domain: Domain, value: Value) -> Node:
        """The index of a value in a finite domain; any number where it is outside the domain."""
        g = self.graph
        if domain is NOTHING:
            return g.int(0)
        if isinstance(value, Scalar):
            return self.to_index(domain, value)
        if isinstance(domain, SlottedDomain):
            assert isinstance(value, SymbolicSeq)
            return self._index_of_list(domain.slots, value)
        if isinstance(value, SymbolicSeq) and isinstance(domain, SetDomain):
            value = self.masked(value, domain)
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
                room = g.le(total(g, value), g.int(domain.capacity))
                held = tuple(map(first, value.parts))
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

    def node_at(self, index: Node, nodes: Sequence[Node]) -> Node:
        """The node at an index."""
        g, (*others, found) = self.graph, nodes
        for i, node in reversed([*enumerate(others)]):
            found = g.select(g.eq(index, g.int(i)), node, found)
        return found

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
