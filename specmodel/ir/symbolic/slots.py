"""Symbolic collections kept as sorted slots: a length, and entries in the order of their keys.

Three kinds of collections have slots. The entry of a set is a member, its own key: for sets with a
capacity and sets with too many possible members for masks. The entry of a bag is a member, the key,
with its count, at least 1. The entry of a map with a capacity is a key with its value. Equal
collections have equal slots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

from specmodel.domains import Domain, SlottedDomain
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.order import less, matches
from specmodel.ir.symbolic.values import (
    Composite,
    Scalar,
    SymbolicSeq,
    SymbolicSet,
    Value,
    copies_of,
    first,
    members,
    second,
    total,
)


def within_capacity(algebra: Algebra, held: SymbolicSeq, domain: SlottedDomain) -> SymbolicSeq:
    """A collection that is known to be within the capacity of a domain wherever it is used."""
    if held.copies is None:
        return held
    return replace(
        held, copies=algebra.graph.minimum(held.copies, algebra.graph.int(domain.capacity))
    )


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
    keys, wanted = [key(part) for part in parts], key(item)
    same = same_as(algebra, wanted, held, keys)
    new = g.both(condition, *map(g.negate, same))
    if met:
        changed = [g.both(condition, s) for s in same]
        parts = tuple(
            algebra.select(c, met(part), part) if c is not g.false else part
            for c, part in zip(changed, parts, strict=True)
        )
    if new is g.false:
        return SymbolicSeq(held.length, parts, held.blank)
    there = [g.lt(g.int(i), held.length) for i in range(len(parts))]
    before = [g.both(t, less(algebra, k, wanted)) for t, k in zip(there, keys, strict=True)]
    return placed(algebra, SymbolicSeq(held.length, parts, held.blank), item, before, new)


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
        elif held.blank is not None:
            moved = algebra.select(new, moved, algebra.zero(held.blank))
        slots.append(moved)
    return SymbolicSeq(g.add(held.length, g.number(new)), tuple(slots), held.blank)


def removed(algebra: Algebra, held: SymbolicSeq, gone: Sequence[Node]) -> SymbolicSeq:
    """A collection without the entry whose condition holds, of which there is at most one.

    The entries after that move to the slot before theirs.
    """
    g, parts, past = algebra.graph, held.parts, algebra.graph.false
    slots: list[Value] = []
    for i, (part, here) in enumerate(zip(parts, gone, strict=True)):
        past = g.either(past, here)
        if i + 1 < len(parts):
            part = algebra.select(past, parts[i + 1], part)
        elif held.blank is not None:
            part = algebra.select(past, algebra.zero(held.blank), part)
        slots.append(part)
    return SymbolicSeq(g.sub(held.length, g.number(past)), tuple(slots), held.blank)


def kept(algebra: Algebra, held: SymbolicSeq, conditions: Sequence[Node]) -> SymbolicSeq:
    """The collection of the entries whose conditions are true."""
    g, found = algebra.graph, empty(algebra)
    for i, (part, condition) in enumerate(zip(held.parts, conditions, strict=True)):
        there = g.both(g.lt(g.int(i), held.length), condition)
        found = algebra.appended(found, part, there)
    return found


def among(algebra: Algebra, item: Value, held: SymbolicSeq) -> Node:
    """Whether a value is a member of a set."""
    return algebra.graph.either(*same_as(algebra, item, held, held.parts))


def same_as(algebra: Algebra, item: Value, held: SymbolicSeq, keys: Sequence[Value]) -> list[Node]:
    """For each slot of a collection, the condition that it is in use and has a key.

    A key of a stored collection was read in its slot, so that slot is in use, and no other slot has
    the key.
    """
    g = algebra.graph
    for slot, chosen_item, chosen_keys in algebra.chosen if held.stored else ():
        if item == chosen_item and chosen_keys == tuple(keys):
            return [g.eq(slot, g.int(i)) for i in range(len(keys))]
    own = [key == item for key in keys] if held.stored else []
    if sum(own) == 1:
        return [g.true if here else g.false for here in own]
    there = (g.lt(g.int(i), held.length) for i in range(len(keys)))
    return [g.both(t, matches(algebra, item, key)) for t, key in zip(there, keys, strict=True)]


def chosen(algebra: Algebra, held: SymbolicSeq, element: Domain, slot: Node, keyed: bool) -> Value:
    """The entry in the slot with a number, by its leaves; it is noted for `same_as`.

    Of `keyed` slots, the entries are pairs.
    """
    columns: list[list[Node]] = []
    for part in held.parts:
        columns.append([])
        algebra.packed(element, part, columns[-1])
    leaves = [algebra.node_at(slot, column) for column in zip(*columns, strict=True)]
    item = algebra.unpacked(element, iter(leaves))
    key = first if keyed else _whole
    algebra.chosen.append((slot, key(item), tuple(map(key, held.parts))))
    return item


def within(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> Node:
    """The condition that a set is a subset of another."""
    g = algebra.graph
    return g.both(
        *(
            g.either(g.le(a.length, g.int(i)), among(algebra, part, b))
            for i, part in enumerate(a.parts)
        )
    )


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
    if len(b.parts) == 1:
        there = g.lt(g.int(0), b.length)
        return removed(
            algebra, a, [g.both(there, same) for same in same_as(algebra, b.parts[0], a, a.parts)]
        )
    return kept(algebra, a, [g.negate(among(algebra, part, b)) for part in a.parts])


def once(algebra: Algebra, value: SymbolicSet | SymbolicSeq) -> SymbolicSeq:
    """The bag with one copy of each member of a set."""
    held = algebra.listed(value)
    parts = tuple(copies(algebra, part) for part in held.parts)
    return SymbolicSeq(held.length, parts, None, copies=held.length)


def copies(algebra: Algebra, member: Value, count: Node | None = None) -> Composite:
    """The entry of a bag for a member with `count` copies, by default 1."""
    return Composite((member, Scalar(count or algebra.graph.int(1))))


def count(algebra: Algebra, member: Value, held: SymbolicSeq) -> Node:
    """The number of copies of a member in a bag."""
    g, found = algebra.graph, algebra.graph.int(0)
    for same, part in zip(same_keys(algebra, member, held), held.parts, strict=True):
        found = g.select(same, copies_of(part), found)
    return found


def plus(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The copies of two bags."""
    g, all_copies = (
        algebra.graph,
        algebra.graph.add(total(algebra.graph, a), total(algebra.graph, b)),
    )
    more, fewer = (a, b) if len(a.parts) >= len(b.parts) else (b, a)
    made = more
    for i, part in enumerate(fewer.parts):
        made = _with_copies(algebra, made, part, g.lt(g.int(i), fewer.length))
    return replace(made, copies=all_copies, sum=(more, fewer))


def map_of(algebra: Algebra, entries: Sequence[tuple[Node, Value]]) -> SymbolicSeq:
    """The map of the entries whose condition holds; a later one replaces another with its key."""
    made = empty(algebra)
    for condition, entry in entries:
        made = put(algebra, made, entry, condition)
    return made


def bag_of(algebra: Algebra, items: Sequence[tuple[Node, Value]]) -> SymbolicSeq:
    """The bag of the items whose condition holds."""
    g, made = algebra.graph, empty(algebra)
    for condition, item in items:
        made = _with_copies(algebra, made, copies(algebra, item), condition)
    numbers = (g.number(condition) for condition, _ in items)
    return replace(made, copies=reduce(g.add, numbers, g.int(0)))


def _with_copies(algebra: Algebra, held: SymbolicSeq, entry: Value, condition: Node) -> SymbolicSeq:
    def more(old: Value) -> Value:
        total = algebra.graph.add(copies_of(old), copies_of(entry))
        return copies(algebra, first(old), total)

    return inserted(algebra, held, entry, condition, more)


def minus(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The copies of a bag that another does not have."""
    g, (held, added) = algebra.graph, a.sum or (a, a)
    if held.stored and held is not a and len(b.parts) == 1 and b.length is g.int(1):
        (entry,) = b.parts
        if copies_of(entry).high == 1 and first(entry) in members(held).parts:
            # Removed first: its slot is known as long as no other member has moved it.
            return plus(algebra, minus(algebra, held, b), added)
    for i, entry in enumerate(b.parts):
        a = _without_copies(algebra, a, entry, g.lt(g.int(i), b.length))
    return a


def _without_copies(
    algebra: Algebra, held: SymbolicSeq, entry: Value, condition: Node
) -> SymbolicSeq:
    g, most, taken = algebra.graph, copies_of(entry), algebra.graph.int(0)
    parts, gone = list[Value](), list[Node]()
    for same, part in zip(same_keys(algebra, first(entry), held), held.parts, strict=True):
        here, copies_here = g.both(condition, same), copies_of(part)
        gone.append(g.both(here, g.le(copies_here, most)))
        taken = g.select(here, g.minimum(copies_here, most), taken)
        left = copies(algebra, first(part), g.sub(copies_here, most))
        parts.append(algebra.select(here, left, part))
    made = removed(algebra, SymbolicSeq(held.length, tuple(parts), held.blank), gone)
    return replace(made, copies=g.sub(total(algebra.graph, held), taken))


def same_keys(algebra: Algebra, key: Value, held: SymbolicSeq) -> list[Node]:
    """For each slot of a collection whose entries are pairs, whether it is there with a key."""
    return same_as(algebra, key, held, members(held).parts)


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
    return removed(algebra, held, same_keys(algebra, key, held))


def different(algebra: Algebra, a: SymbolicSeq, b: SymbolicSeq) -> SymbolicSeq:
    """The symmetric difference of two sets."""
    return joined(algebra, without(algebra, a, b), without(algebra, b, a))
