"""Symbolic collections kept as sorted slots: a length, and entries in the order of their keys.

Three kinds of collections have slots. The entry of a set is a member, its own key: for sets with a
capacity and sets with too many possible members for masks. The entry of a bag is a member, the key,
with its count, at least 1. The entry of a map with a capacity is a key with its value. Equal
collections have equal slots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from specmodel.domains import SetDomain
from specmodel.errors import SpecError
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Node
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
    second,
)

MOST_LISTED = 256
"""The most possible members of a set of masks that is converted to slots."""


def less(algebra: Algebra, a: Value, b: Value) -> Node:
    """The condition that a value comes before another of its type, in their domain's order.

    Raises SpecError for sets in slots, which have no order.
    """
    g = algebra.graph
    if isinstance(a, Scalar | OptionalCode) and isinstance(b, Scalar | OptionalCode):
        one, two = (g.number(n) if n.boolean else n for n in (a.node, b.node))
        return g.lt(one, two)
    if isinstance(a, Nothing) or isinstance(b, Nothing):
        return g.false
    if isinstance(a, Option) and isinstance(b, Option):
        held = g.either(g.negate(a.present), less(algebra, a.held, b.held))
        return g.both(b.present, held)
    if isinstance(a, Composite) and isinstance(b, Composite):
        return first_less(algebra, list(zip(a.parts, b.parts, strict=True)))
    if isinstance(a, SymbolicSet) and isinstance(b, SymbolicSet):  # as the bits of a number
        a, b = algebra.sets.aligned(a, b)
        pairs = zip(reversed(a.masks), reversed(b.masks), strict=True)
        return first_less(algebra, [(Scalar(x), Scalar(y)) for x, y in pairs])
    if isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSeq):  # shorter ones first
        found = g.false
        for i, (x, y) in reversed([*enumerate(zip(a.parts, b.parts, strict=False))]):
            tail = g.both(algebra.equal(x, y), found)
            found = g.both(g.lt(g.int(i), a.length), g.either(less(algebra, x, y), tail))
        same = g.both(g.eq(a.length, b.length), found)
        return g.either(g.lt(a.length, b.length), same)
    if isinstance(a, SymbolicUnion) and isinstance(b, SymbolicUnion):
        pairs = zip((a.tag, *a.codes), (b.tag, *b.codes), strict=True)
        return first_less(algebra, [(Scalar(x), Scalar(y)) for x, y in pairs])
    raise SpecError("a set with a capacity in another set has no order", None, "use a list")


def first_less(algebra: Algebra, pairs: Sequence[tuple[Value, Value]]) -> Node:
    """The condition that, in the first pair of different values, the first is less."""
    g, found = algebra.graph, algebra.graph.false
    for x, y in reversed(pairs):
        found = g.either(less(algebra, x, y), g.both(algebra.equal(x, y), found))
    return found


def empty(algebra: Algebra) -> SymbolicSeq:
    """The set without members."""
    return SymbolicSeq(algebra.graph.int(0), (), None)


def _whole(entry: Value) -> Value:
    return entry


def inserted(
    algebra: Algebra,
    held: SymbolicSeq,
    item: Value,
    condition: Node,
    met: Callable[[Value], Value] | None = None,
) -> SymbolicSeq:
    """A collection with one more entry if a condition is true.

    With `met`, entries are pairs: `met` returns the new entry for one with the same key.
    """
    g, parts, key = algebra.graph, held.parts, first if met else _whole
    there = [g.lt(g.int(i), held.length) for i in range(len(parts))]
    keys, wanted = [key(part) for part in parts], key(item)
    same = [g.both(t, algebra.equal(k, wanted)) for t, k in zip(there, keys, strict=True)]
    new = g.both(condition, *map(g.negate, same))
    before = [g.both(t, less(algebra, k, wanted)) for t, k in zip(there, keys, strict=True)]
    if met:
        changed = [g.both(condition, s) for s in same]
        parts = [
            algebra.select(c, met(part), part) if c is not g.false else part
            for c, part in zip(changed, parts, strict=True)
        ]
    return placed(algebra, SymbolicSeq(held.length, tuple(parts), held.blank), item, before, new)


def placed(
    algebra: Algebra, held: SymbolicSeq, item: Value, before: Sequence[Node], new: Node
) -> SymbolicSeq:
    """Slots with one more item if `new` is true, after the slots for which `before` is true."""
    g, parts = algebra.graph, held.parts
    slots: list[Value] = []
    for i in range(len(parts) + (held.length.high >= len(parts))):
        moved = algebra.select(before[i - 1], item, parts[i - 1]) if i else item
        if i < len(parts):
            moved = algebra.select(g.both(new, g.negate(before[i])), moved, parts[i])
        slots.append(moved)
    blank = held.blank if len(slots) == len(parts) else None
    return SymbolicSeq(g.add(held.length, g.number(new)), tuple(slots), blank)


def kept(algebra: Algebra, held: SymbolicSeq, conditions: Sequence[Node]) -> SymbolicSeq:
    """The collection of the entries whose conditions are true."""
    g, found = algebra.graph, empty(algebra)
    for i, (part, condition) in enumerate(zip(held.parts, conditions, strict=True)):
        there = g.both(g.lt(g.int(i), held.length), condition)
        found = _appended(algebra, found, part, there)
    return found


def _appended(algebra: Algebra, held: SymbolicSeq, item: Value, condition: Node) -> SymbolicSeq:
    """A collection with an entry after all others if a condition is true."""
    g = algebra.graph
    slots = [
        algebra.select(g.both(condition, g.eq(held.length, g.int(i))), item, part)
        for i, part in enumerate(held.parts)
    ]
    if held.length.high >= len(slots):
        slots.append(item)
    return SymbolicSeq(g.add(held.length, g.number(condition)), tuple(slots), None)


def among(algebra: Algebra, item: Value, held: SymbolicSeq) -> Node:
    """The condition that a value is a member of a set."""
    g = algebra.graph
    return g.either(
        *(
            g.both(g.lt(g.int(i), held.length), algebra.equal(item, part))
            for i, part in enumerate(held.parts)
        )
    )


def within(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> Node:
    """The condition that a set is a subset of another."""
    g = algebra.graph
    return g.both(
        *(
            g.either(g.le(a.length, g.int(i)), among(algebra, part, b))
            for i, part in enumerate(a.parts)
        )
    )


def listed(algebra: Algebra, value: SymbolicSet | SymbolicSeq) -> SymbolicSeq:
    """A set of masks as slots. Raises SpecError if it has too many possible members."""
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
    """A set of slots as masks over a domain that contains its members."""
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
    """The union of two sets."""
    if len(a.parts) < len(b.parts):
        a, b = b, a
    g = algebra.graph
    for i, part in enumerate(b.parts):
        a = inserted(algebra, a, part, g.lt(g.int(i), b.length))
    return a


def common(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The intersection of two sets."""
    return kept(algebra, a, [among(algebra, part, b) for part in a.parts])


def without(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The difference of two sets."""
    g = algebra.graph
    return kept(algebra, a, [g.negate(among(algebra, part, b)) for part in a.parts])


def members(held: SymbolicSeq) -> SymbolicSeq:
    """The set of the keys of a bag or map."""
    return SymbolicSeq(held.length, tuple(map(first, held.parts)), None)


def once(algebra: Algebra, value: SymbolicSet | SymbolicSeq) -> SymbolicSeq:
    """The bag with one copy of each member of a set."""
    held = listed(algebra, value)
    return SymbolicSeq(held.length, tuple(copies(algebra, part) for part in held.parts), None)


def copies(algebra: Algebra, member: Value, count: Node | None = None) -> Composite:
    """The entry of a bag for a member with `count` copies, by default 1."""
    return Composite((member, Scalar(count or algebra.graph.int(1))))


def count(algebra: Algebra, member: Value, held: SymbolicSeq) -> Node:
    """The number of copies of a member in a bag."""
    g, found = algebra.graph, algebra.graph.int(0)
    for same, part in zip(same_keys(algebra, member, held), held.parts, strict=True):
        found = g.select(same, _copies_of(part), found)
    return found


def plus(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The sum of two bags."""
    if len(a.parts) < len(b.parts):
        a, b = b, a
    g = algebra.graph
    for i, part in enumerate(b.parts):
        a = _with_copies(algebra, a, part, g.lt(g.int(i), b.length))
    return a


def bag_of(algebra: Algebra, items: Sequence[tuple[Node, Value]]) -> SymbolicSeq:
    """The bag of the items whose conditions are true."""
    made = empty(algebra)
    for condition, item in items:
        made = _with_copies(algebra, made, copies(algebra, item), condition)
    return made


def _with_copies(algebra: Algebra, held: SymbolicSeq, entry: Value, condition: Node) -> SymbolicSeq:
    def more(old: Value) -> Value:
        total = algebra.graph.add(_copies_of(old), _copies_of(entry))
        return copies(algebra, first(old), total)

    return inserted(algebra, held, entry, condition, more)


def minus(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The difference of two bags."""
    g = algebra.graph
    left = [g.sub(_copies_of(part), count(algebra, first(part), b)) for part in a.parts]
    parts = [copies(algebra, first(p), n) for p, n in zip(a.parts, left, strict=True)]
    some = [g.lt(g.int(0), n) for n in left]
    return kept(algebra, SymbolicSeq(a.length, tuple(parts), None), some)


def _copies_of(entry: Value) -> Node:
    held = second(entry)
    assert isinstance(held, Scalar)
    return held.node


def total(algebra: Algebra, held: SymbolicSeq) -> Node:
    """The total number of copies in a bag."""
    g, found = algebra.graph, algebra.graph.int(0)
    for i, part in enumerate(held.parts):
        there = g.lt(g.int(i), held.length)
        found = g.add(found, g.select(there, _copies_of(part), g.int(0)))
    return found


def same_keys(algebra: Algebra, key: Value, held: SymbolicSeq) -> list[Node]:
    """For each slot of a bag or map, the condition that it is used and has a given key."""
    g = algebra.graph
    return [
        g.both(g.lt(g.int(i), held.length), algebra.equal(first(part), key))
        for i, part in enumerate(held.parts)
    ]


def value_of(algebra: Algebra, key: Value, held: SymbolicSeq, other: Value) -> Value:
    """The value of a map at a key, or `other` where the map does not have the key."""
    for same, part in zip(same_keys(algebra, key, held), held.parts, strict=True):
        other = algebra.select(same, second(part), other)
    return other


def put(algebra: Algebra, held: SymbolicSeq, entry: Value, condition: Node) -> SymbolicSeq:
    """A map with an entry stored, if a condition is true."""
    value = second(entry)
    return inserted(algebra, held, entry, condition, lambda old: Composite((first(old), value)))


def dropped(algebra: Algebra, held: SymbolicSeq, key: Value) -> SymbolicSeq:
    """A map without a key."""
    g = algebra.graph
    return kept(algebra, held, [g.negate(same) for same in same_keys(algebra, key, held)])


def different(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The symmetric difference of two sets."""
    return joined(algebra, without(algebra, a, b), without(algebra, b, a))
