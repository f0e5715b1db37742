"""Symbolic sets kept as sorted slots: a length, and elements in the order of their domain.

A set whose domain has a capacity is kept so, as is one with more possible members than a mask can
have bits for. Equal sets have equal slots.
"""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.domains import SetDomain
from specmodel.errors import SpecError
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.values import (
    Composite,
    Option,
    OptionalCode,
    Scalar,
    SymbolicSeq,
    SymbolicSet,
    SymbolicUnion,
    Value,
)

MOST_LISTED = 256
"""The possible members of a set of masks that can become slots: a slot may be any of them."""


def less(algebra: Algebra, a: Value, b: Value) -> Node:
    """Whether a value comes before another of its type in the order of their domain."""
    g = algebra.graph
    if isinstance(a, Scalar | OptionalCode) and isinstance(b, Scalar | OptionalCode):
        one, two = (g.number(n) if n.boolean else n for n in (a.node, b.node))
        return g.lt(one, two)
    if isinstance(a, Option) and isinstance(b, Option):
        held = g.either(g.negate(a.present), less(algebra, a.held, b.held))
        return g.both(b.present, held)
    if isinstance(a, Composite) and isinstance(b, Composite):
        return _first_less(algebra, list(zip(a.parts, b.parts, strict=True)))
    if isinstance(a, SymbolicSet) and isinstance(b, SymbolicSet):  # as the bits of a number
        a, b = algebra.sets.aligned(a, b)
        pairs = zip(reversed(a.masks), reversed(b.masks), strict=True)
        return _first_less(algebra, [(Scalar(x), Scalar(y)) for x, y in pairs])
    if isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSeq):  # shorter ones first
        found = g.false
        for i, (x, y) in reversed([*enumerate(zip(a.parts, b.parts, strict=False))]):
            tail = g.both(algebra.equal(x, y), found)
            found = g.both(g.lt(g.int(i), a.length), g.either(less(algebra, x, y), tail))
        same = g.both(g.eq(a.length, b.length), found)
        return g.either(g.lt(a.length, b.length), same)
    if isinstance(a, SymbolicUnion) and isinstance(b, SymbolicUnion):
        pairs = zip((a.tag, *a.codes), (b.tag, *b.codes), strict=True)
        return _first_less(algebra, [(Scalar(x), Scalar(y)) for x, y in pairs])
    raise SpecError("a set with a capacity in another set has no order", None, "use a list")


def _first_less(algebra: Algebra, pairs: Sequence[tuple[Value, Value]]) -> Node:
    """Whether the first pair that differs is in order."""
    g, found = algebra.graph, algebra.graph.false
    for x, y in reversed(pairs):
        found = g.either(less(algebra, x, y), g.both(algebra.equal(x, y), found))
    return found


def empty(algebra: Algebra) -> SymbolicSeq:
    """The set without members."""
    return SymbolicSeq(algebra.graph.int(0), (), None)


def inserted(algebra: Algebra, held: SymbolicSeq, item: Value, condition: Node) -> SymbolicSeq:
    """A set with one more member if a condition holds."""
    g, parts = algebra.graph, held.parts
    there = [g.lt(g.int(i), held.length) for i in range(len(parts))]
    same = [g.both(t, algebra.equal(part, item)) for t, part in zip(there, parts, strict=True)]
    new = g.both(condition, *map(g.negate, same))
    before = [g.both(t, less(algebra, part, item)) for t, part in zip(there, parts, strict=True)]
    slots: list[Value] = []
    for i in range(len(parts) + (held.length.high >= len(parts))):
        moved = algebra.select(before[i - 1], item, parts[i - 1]) if i else item
        if i < len(parts):
            moved = algebra.select(g.both(new, g.negate(before[i])), moved, parts[i])
        slots.append(moved)
    blank = held.blank if len(slots) == len(parts) else None
    return SymbolicSeq(g.add(held.length, g.number(new)), tuple(slots), blank)


def kept(algebra: Algebra, held: SymbolicSeq, conditions: Sequence[Node]) -> SymbolicSeq:
    """The members of a set whose condition holds."""
    g, found = algebra.graph, empty(algebra)
    for i, (part, condition) in enumerate(zip(held.parts, conditions, strict=True)):
        there = g.both(g.lt(g.int(i), held.length), condition)
        found = _appended(algebra, found, part, there)
    return found


def _appended(algebra: Algebra, held: SymbolicSeq, item: Value, condition: Node) -> SymbolicSeq:
    """A set with a member that comes after all others, if a condition holds."""
    g = algebra.graph
    slots = [
        algebra.select(g.both(condition, g.eq(held.length, g.int(i))), item, part)
        for i, part in enumerate(held.parts)
    ]
    if held.length.high >= len(slots):
        slots.append(item)
    return SymbolicSeq(g.add(held.length, g.number(condition)), tuple(slots), None)


def among(algebra: Algebra, item: Value, held: SymbolicSeq) -> Node:
    """Whether a value is a member of a set."""
    g = algebra.graph
    return g.either(
        *(
            g.both(g.lt(g.int(i), held.length), algebra.equal(item, part))
            for i, part in enumerate(held.parts)
        )
    )


def within(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> Node:
    """Whether all members of a set are members of another."""
    g = algebra.graph
    return g.both(
        *(
            g.either(g.le(a.length, g.int(i)), among(algebra, part, b))
            for i, part in enumerate(a.parts)
        )
    )


def listed(algebra: Algebra, value: SymbolicSet | SymbolicSeq) -> SymbolicSeq:
    """A set of masks as slots. Raises SpecError if it may have too many different members."""
    if isinstance(value, SymbolicSeq):
        return value
    element = value.element
    if element.size > MOST_LISTED:
        what = f"a set with a place for each of {element.size:,} members stands beside one with a"
        raise SpecError(f"{what} capacity", None, "give both a capacity")
    found = empty(algebra)
    for i in range(element.size):
        present = algebra.sets.member_at(value, i)
        if present is not algebra.graph.false:
            found = _appended(algebra, found, algebra.constant(element, element.at(i)), present)
    return found


def masked(algebra: Algebra, value: SymbolicSeq, domain: SetDomain) -> SymbolicSet:
    """A set of slots as masks over a domain that has room for its members."""
    g, element = algebra.graph, domain.element
    made = algebra.zero(domain)
    assert isinstance(made, SymbolicSet)
    masks = made.masks
    for i, part in enumerate(value.parts):
        there = g.both(g.lt(g.int(i), value.length), algebra.inside(element, part))
        bits = algebra.sets.mask_of(element, algebra.index(element, part), there)
        masks = tuple(map(g.bor, masks, bits))
    return SymbolicSet(element, masks)


def joined(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The members of two sets."""
    if len(a.parts) < len(b.parts):
        a, b = b, a
    g = algebra.graph
    for i, part in enumerate(b.parts):
        a = inserted(algebra, a, part, g.lt(g.int(i), b.length))
    return a


def common(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The members that two sets share."""
    return kept(algebra, a, [among(algebra, part, b) for part in a.parts])


def without(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The members of a set that another does not have."""
    g = algebra.graph
    return kept(algebra, a, [g.negate(among(algebra, part, b)) for part in a.parts])


def different(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The members of one of two sets that the other does not have."""
    return joined(algebra, without(algebra, a, b), without(algebra, b, a))
