"""The operators of `Apply` on symbolic values."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import cast

from specmodel.domains import (
    BagDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SparseMapDomain,
    UnionDomain,
)
from specmodel.domains.unions import Alternative
from specmodel.errors import SpecError
from specmodel.ir import nodes as ir
from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.conversion import quoted
from specmodel.ir.symbolic.elements import chunks
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.terms import Terms
from specmodel.ir.symbolic.values import (
    Composite,
    Scalar,
    SymbolicSeq,
    SymbolicSet,
    SymbolicUnion,
    Value,
    members,
    total,
)

LARGEST = 1 << 61
"""The largest absolute value of an intermediate result."""

Operator = Callable[[Terms, ir.Apply], Value]


def _arithmetic(name: str) -> Operator:
    def apply(terms: Terms, term: ir.Apply) -> Value:
        operation = getattr(terms.graph, name)
        made = reduce(operation, [terms.integer(a) for a in term.args])
        if not -LARGEST <= made.low <= made.high <= LARGEST:
            raise SpecError("this can grow beyond 62 bits", term.span, "bound its parts")
        return Scalar(made)

    return apply


def _division(name: str) -> Operator:
    def apply(terms: Terms, term: ir.Apply) -> Value:
        a, b = terms.integer(term.args[0]), terms.integer(term.args[1])
        terms.run.fail(terms.graph.eq(b, terms.graph.int(0)), "the divisor is 0", term.span)
        return Scalar(getattr(terms.graph, name)(a, b))

    return apply


def _neg(terms: Terms, term: ir.Apply) -> Value:
    return Scalar(terms.graph.sub(terms.graph.int(0), terms.integer(term.args[0])))


def _abs(terms: Terms, term: ir.Apply) -> Value:
    g, a = terms.graph, terms.integer(term.args[0])
    return Scalar(g.maximum(a, g.sub(g.int(0), a)))


def _equal(terms: Terms, term: ir.Apply) -> Scalar:
    return Scalar(terms.algebra.equal(terms.value(term.args[0]), terms.value(term.args[1])))


def _unequal(terms: Terms, term: ir.Apply) -> Value:
    return Scalar(terms.graph.negate(_equal(terms, term).node))


def _ordered(swap: bool, strict: bool) -> Operator:
    def apply(terms: Terms, term: ir.Apply) -> Value:
        g = terms.graph
        a, b = terms.value(term.args[0]), terms.value(term.args[1])
        if swap:
            a, b = b, a
        a, b = terms.algebra.alike(a, b)
        if isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSeq):
            inside = slots.within(terms.algebra, a, b)
            return Scalar(g.both(inside, g.lt(a.length, b.length)) if strict else inside)
        if isinstance(a, SymbolicSet) and isinstance(b, SymbolicSet):
            a, b = terms.algebra.sets.aligned(a, b)
            within = g.both(
                *(
                    g.eq(g.band(x, _complement(terms, y, w)), g.int(0))
                    for x, y, w in zip(a.masks, b.masks, chunks(a.element), strict=True)
                )
            )
            same = terms.algebra.equal(a, b)
            return Scalar(g.both(within, g.negate(same)) if strict else within)
        assert isinstance(a, Scalar) and isinstance(b, Scalar)
        return Scalar(g.lt(a.node, b.node) if strict else g.le(a.node, b.node))

    return apply


def _complement(terms: Terms, mask: Node, width: int) -> Node:
    return terms.graph.bxor(mask, terms.graph.int((1 << width) - 1))


def _logical(every: bool) -> Operator:
    def apply(terms: Terms, term: ir.Apply) -> Value:
        g = terms.graph
        unit, zero = (g.true, g.false) if every else (g.false, g.true)
        found: list[Node] = []
        for arg in term.args:
            if found:
                with terms.run.assuming(*(found if every else map(g.negate, found))):
                    truth = terms.truth(arg)
            else:
                truth = terms.truth(arg)
            if truth is zero:
                return Scalar(zero)
            if truth is not unit:
                found.append(truth)
        return Scalar(g.both(*found) if every else g.either(*found))

    return apply


def _not(terms: Terms, term: ir.Apply) -> Value:
    return Scalar(terms.graph.negate(terms.truth(term.args[0])))


def _in(terms: Terms, term: ir.Apply) -> Value:
    g, algebra = terms.graph, terms.algebra
    item, source = terms.value(term.args[0]), term.args[1]
    kind, present = term.args[0].type, g.true
    many = source.type
    assert isinstance(many, SetDomain | SeqDomain | BagDomain | SparseMapDomain)
    element = many.key if isinstance(many, SparseMapDomain) else many.element
    if isinstance(kind, OptionDomain) and not isinstance(element, OptionDomain):
        present, item = algebra.present(item), algebra.held(item, kind.inner)
    if isinstance(source, ir.Apply) and source.op == "range":
        low, high = (terms.integer(bound) for bound in source.args)
        assert isinstance(item, Scalar)
        number = g.number(item.node) if item.node.boolean else item.node
        return Scalar(g.both(present, g.le(low, number), g.lt(number, high)))
    held = terms.value(source)
    if isinstance(held, SymbolicSet):
        return Scalar(g.both(present, _member(terms, item, held)))
    assert isinstance(held, SymbolicSeq)
    if isinstance(source.type, BagDomain | SparseMapDomain):
        held = members(held)
    return Scalar(g.both(present, slots.among(algebra, item, held)))


def _member(terms: Terms, item: Value, held: SymbolicSet) -> Node:
    """The condition that a value of a set's element type is in the set."""
    g, algebra = terms.graph, terms.algebra
    if held.element.size == 0:
        return g.false
    index, inside = algebra.index(held.element, item), algebra.inside(held.element, item)
    if index.constant:
        known = 0 <= index.value < held.element.size
        return g.both(inside, algebra.sets.member_at(held, index.value)) if known else g.false
    bits = algebra.sets.mask_of(held.element, index, inside)
    pairs = zip(held.masks, bits, strict=True)
    return g.either(*(g.negate(g.eq(g.band(mask, bit), g.int(0))) for mask, bit in pairs))


def _is_none(terms: Terms, term: ir.Apply) -> Value:
    return Scalar(terms.graph.negate(terms.algebra.present(terms.value(term.args[0]))))


def _as(terms: Terms, term: ir.Apply) -> Value:
    return terms.converted(term, terms.value(term.args[0]))


def _the(terms: Terms, term: ir.Apply) -> Value:
    value = terms.value(term.args[0])
    terms.unwrapped(term, value)
    assert isinstance(term.args[0].type, OptionDomain)
    return terms.algebra.held(value, term.args[0].type.inner)


def _picked(terms: Terms, term: ir.Apply) -> Value:
    return terms.value(term.args[0])


def _is(terms: Terms, term: ir.Apply) -> Value:
    g, value, kind = terms.graph, terms.value(term.args[0]), term.args[0].type
    present = g.true
    if isinstance(kind, OptionDomain):
        present, value = terms.algebra.present(value), terms.algebra.held(value, kind.inner)
    tag = value.tag if isinstance(value, SymbolicUnion) else g.int(0)
    if tag.constant and present is g.true:
        parts = term.args[1:]
        here = any(part.value == tag.value for part in parts if isinstance(part, ir.Constant))
        return Scalar(g.true if here else g.false)
    wanted = [part.value for part in term.args[1:] if isinstance(part, ir.Constant)]
    known = [g.eq(tag, g.int(number)) for number in wanted if number >= 0]
    absent = [g.negate(present)] * (len(known) < len(wanted))
    return Scalar(g.either(g.both(present, g.either(*known)), *absent))


def _narrow(terms: Terms, term: ir.Apply) -> Value:
    """A union's value as a value of one alternative; fails where it has another.

    It can only fail for a field that some alternatives lack; the span of the term is then `m.x`.
    """
    g, value, domain = terms.graph, terms.value(term.args[0]), term.args[0].type
    assert isinstance(value, SymbolicUnion) and isinstance(domain, UnionDomain)
    wanted = domain.alternatives.index(cast(Alternative, term.type))
    tested = terms.run.on_path(g.eq(value.tag, g.int(wanted)))
    tags = (value.tag.value,) if value.tag.constant else range(len(domain.alternatives))
    for tag in tags:
        if tag != wanted and not tested:
            other, here = domain.alternatives[tag], g.eq(value.tag, g.int(tag))
            field = term.span.text().rsplit(".", 1)[-1] if term.span else ""
            what = f"{quoted(term.args[0])} is a {other} here, which has no field {field}"
            terms.run.fail(here, what, term.span)
    key = (id(domain), id(term.type), value.tag.id, *(code.id for code in value.codes))
    if key not in g.narrowed:
        g.narrowed[key] = terms.algebra.narrowed(domain, value, wanted)
    return g.narrowed[key]


def _len(terms: Terms, term: ir.Apply) -> Value:
    g, held = terms.graph, terms.value(term.args[0])
    if isinstance(term.args[0].type, BagDomain):
        assert isinstance(held, SymbolicSeq)
        return Scalar(total(terms.graph, held))
    if isinstance(held, SymbolicSeq):
        return Scalar(held.length)
    if isinstance(held, Composite):
        return Scalar(g.int(len(held.parts)))
    assert isinstance(held, SymbolicSet)
    return Scalar(terms.algebra.sets.count(held))


def _masks(
    name: str,
    of_slots: Callable[[Algebra, SymbolicSeq, SymbolicSeq], SymbolicSeq],
    complement: bool = False,
) -> Operator:
    def apply(terms: Terms, term: ir.Apply) -> Value:
        a, b = terms.algebra.alike(terms.value(term.args[0]), terms.value(term.args[1]))
        if isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSeq):
            return of_slots(terms.algebra, a, b)
        assert isinstance(a, SymbolicSet) and isinstance(b, SymbolicSet)
        a, b = terms.algebra.sets.aligned(a, b)
        operation = getattr(terms.graph, name)
        masks = zip(a.masks, b.masks, chunks(a.element), strict=True)
        return SymbolicSet(
            a.element,
            tuple(operation(x, _complement(terms, y, w) if complement else y) for x, y, w in masks),
        )

    return apply


def _copies(operation: Callable[[Algebra, SymbolicSeq, SymbolicSeq], SymbolicSeq]) -> Operator:
    """An operator on a bag and a bag or a set; a set has one copy of each member."""

    def apply(terms: Terms, term: ir.Apply) -> Value:
        a, b = map(terms.value, term.args)
        if isinstance(term.args[1].type, SetDomain):
            assert isinstance(b, SymbolicSet | SymbolicSeq)
            b = slots.once(terms.algebra, b)
        assert isinstance(a, SymbolicSeq) and isinstance(b, SymbolicSeq)
        return operation(terms.algebra, a, b)

    return apply


def _members(terms: Terms, term: ir.Apply) -> Value:
    held = terms.value(term.args[0])
    assert isinstance(held, SymbolicSeq)
    return members(held)


def _dropped(terms: Terms, term: ir.Apply) -> Value:
    held, key = terms.value(term.args[0]), terms.value(term.args[1])
    assert isinstance(held, SymbolicSeq)
    terms.slot_of(term.args[1], key, held, term.span)
    return slots.dropped(terms.algebra, held, key)


def _got(terms: Terms, term: ir.Apply) -> Value:
    """The value of a map at a key, or a default."""
    held, key, other = map(terms.value, term.args)
    assert isinstance(held, SymbolicSeq)
    keys, kind, algebra = term.args[0].type.parts[0], term.args[1].type, terms.algebra
    if isinstance(kind, OptionDomain) and not isinstance(keys, OptionDomain):
        found = slots.value_of(algebra, algebra.held(key, kind.inner), held, other)
        return algebra.select(algebra.present(key), found, other)
    return slots.value_of(algebra, key, held, other)


def _concat(terms: Terms, term: ir.Apply) -> Value:
    g, a, b = terms.graph, terms.value(term.args[0]), terms.value(term.args[1])
    assert (
        isinstance(a, SymbolicSeq)
        and isinstance(b, SymbolicSeq)
        and isinstance(term.type, SeqDomain)
    )
    if a.length.constant:
        return SymbolicSeq(g.add(a.length, b.length), a.parts[: a.length.value] + b.parts, b.blank)
    if not b.parts:
        return a
    elements: list[Value] = []
    for i in range(len(a.parts) + len(b.parts)):
        second = terms.algebra.at_index(g.sub(g.int(i), a.length), b.parts)
        if i < len(a.parts):
            second = terms.algebra.select(g.lt(g.int(i), a.length), a.parts[i], second)
        elements.append(second)
    return SymbolicSeq(g.add(a.length, b.length), tuple(elements), None)


def _append(terms: Terms, term: ir.Apply) -> Value:
    held, item = terms.value(term.args[0]), terms.value(term.args[1])
    assert isinstance(held, SymbolicSeq)
    return appended(terms, held, item, terms.graph.true)


def appended(terms: Terms, held: SymbolicSeq, item: Value, condition: Node) -> SymbolicSeq:
    """A sequence with one more item at its end if a condition is true."""
    g = terms.graph
    elements: list[Value] = []
    for i, old in enumerate(held.parts):
        here = g.both(condition, g.eq(held.length, g.int(i)))
        elements.append(terms.algebra.select(here, item, old))
    if held.length.high >= len(held.parts):
        elements.append(item)
    grown = g.add(held.length, g.number(condition))
    same = len(elements) == len(held.parts) or held.length.constant
    return SymbolicSeq(grown, tuple(elements), held.blank if same and condition.constant else None)


def _part(terms: Terms, term: ir.Apply) -> Value:
    held, place = terms.value(term.args[0]), term.args[1]
    assert isinstance(held, Composite) and isinstance(place, ir.Constant)
    at: int = place.value
    return held.parts[at]


OPERATORS: dict[str, Operator] = {
    "+": _arithmetic("add"),
    "-": _arithmetic("sub"),
    "*": _arithmetic("mul"),
    "//": _division("floordiv"),
    "%": _division("mod"),
    "min": _arithmetic("minimum"),
    "max": _arithmetic("maximum"),
    "neg": _neg,
    "abs": _abs,
    "==": _equal,
    "!=": _unequal,
    "<": _ordered(swap=False, strict=True),
    "<=": _ordered(swap=False, strict=False),
    ">": _ordered(swap=True, strict=True),
    ">=": _ordered(swap=True, strict=False),
    "and": _logical(every=True),
    "or": _logical(every=False),
    "not": _not,
    "in": _in,
    "is_none": _is_none,
    "some": _as,
    "as": _as,
    "as_sure": _as,
    "the": _the,
    "sure": _the,
    "need": _the,
    "picked": _picked,
    "is": _is,
    "narrow": _narrow,
    "len": _len,
    "|": _masks("bor", slots.joined),
    "&": _masks("band", slots.common),
    "^": _masks("bxor", slots.different),
    "without": _masks("band", slots.without, complement=True),
    "plus": _copies(slots.plus),
    "minus": _copies(slots.minus),
    "members": _members,
    "drop": _dropped,
    "get": _got,
    "part": _part,
    "concat": _concat,
    "append": _append,
}
