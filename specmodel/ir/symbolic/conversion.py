"""Conversion of symbolic values to another compatible type.

Under CPython, a value does not depend on the type of its place. A symbolic value has one form for
each type: a value in a place for an optional becomes an optional, at any depth of a composite.
"""

from __future__ import annotations

from specmodel.domains import (
    BagDomain,
    Domain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SparseMapDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.domains.unions import alternatives_of
from specmodel.ir import nodes as ir
from specmodel.ir.layout import payload_of
from specmodel.ir.nodes import NONE
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.elements import limited, position, retyped
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.values import (
    Composite,
    Option,
    SymbolicSeq,
    SymbolicSet,
    SymbolicUnion,
    Value,
)

_HOLDING = (SeqDomain, MapDomain, SetDomain, BagDomain, SparseMapDomain)
"""The domains of containers, whose elements have one type."""


def _held(domain: Domain) -> Domain:
    """The element domain of a container's domain."""
    return domain.entry if isinstance(domain, BagDomain | SparseMapDomain) else domain.parts[-1]


def converted(algebra: Algebra, value: Value, source: Domain, target: Domain) -> Value:
    """A value of one type as a value of another; any value in states where it is `lacking`."""
    if source == target:
        return value
    if source is NONE:
        return algebra.constant(target, None)
    if isinstance(target, OptionDomain) and not isinstance(source, OptionDomain):
        held = converted(algebra, value, source, target.inner)
        return algebra.some(held, target.inner)
    if isinstance(source, OptionDomain):
        held = algebra.held(value, source.inner)
        if not isinstance(target, OptionDomain):
            return converted(algebra, held, source.inner, target)
        inner = converted(algebra, held, source.inner, target.inner)
        return value if inner is held else Option(algebra.present(value), inner)
    if isinstance(target, UnionDomain):
        return united(algebra, value, source, target)
    if isinstance(value, SymbolicSet) and isinstance(target, SetDomain):
        element = limited(retyped(value.element, target.element))
        return algebra.sets.over(value, element)
    if isinstance(source, TupleDomain) and isinstance(target, TupleDomain):
        assert isinstance(value, Composite)
        places = zip(value.parts, source.places, target.places, strict=True)
        return Composite(tuple(converted(algebra, *place) for place in places))
    if isinstance(value, SymbolicSeq | Composite) and isinstance(source, _HOLDING):
        kinds = _held(source), _held(target)
        parts = tuple(converted(algebra, held, *kinds) for held in value.parts)
        if all(a is b for a, b in zip(parts, value.parts, strict=True)):
            return value
        return (
            Composite(parts)
            if isinstance(value, Composite)
            else SymbolicSeq(value.length, parts, None)
        )
    return value


def united(algebra: Algebra, value: Value, source: Domain, target: UnionDomain) -> SymbolicUnion:
    """A value of an alternative, or of a union of fewer alternatives, as a value of a union.

    All alternatives of a union share the same leaves.
    """
    g, known = algebra.graph, alternatives_of(source)
    tags = [target.alternatives.index(part) for part in known]
    if isinstance(value, SymbolicUnion):
        tag, codes = g.int(tags[-1]), list(value.codes)
        for number, moved in enumerate(tags[:-1]):
            tag = g.select(g.eq(value.tag, g.int(number)), g.int(moved), tag)
    else:
        tag, codes = g.int(tags[0]), list[Node]()
        algebra.packed(known[0], value, codes)
    missing = len(payload_of(target)) - len(codes)
    return SymbolicUnion(tag, (*codes, *[g.int(0)] * missing))


def lacking(algebra: Algebra, value: Value, source: Domain, target: Domain) -> Node:
    """The condition that a value has a None at a place where the target type allows none."""
    g = algebra.graph
    if source == target or source is NONE:
        return g.false
    if isinstance(source, OptionDomain):
        inner = target.inner if isinstance(target, OptionDomain) else target
        present = algebra.present(value)
        within = lacking(algebra, algebra.held(value, source.inner), source.inner, inner)
        absent = g.false if isinstance(target, OptionDomain) else g.negate(present)
        return g.either(absent, g.both(present, within))
    if isinstance(target, OptionDomain):
        return lacking(algebra, value, source, target.inner)
    if isinstance(value, SymbolicSet) and isinstance(target, SetDomain):
        element = limited(retyped(value.element, target.element))
        lost = (
            algebra.sets.member_at(value, i)
            for i in range(value.element.size)
            if position(element, value.element.at(i)) is None
        )
        return g.either(*lost)
    if isinstance(source, TupleDomain) and isinstance(target, TupleDomain):
        assert isinstance(value, Composite)
        places = zip(value.parts, source.places, target.places, strict=True)
        return g.either(*(lacking(algebra, *place) for place in places))
    if isinstance(value, SymbolicSeq | Composite) and isinstance(source, _HOLDING):
        kinds, lost = (_held(source), _held(target)), list[Node]()
        for i, held in enumerate(value.parts):
            there = g.lt(g.int(i), value.length) if isinstance(value, SymbolicSeq) else g.true
            lost.append(g.both(there, lacking(algebra, held, *kinds)))
        return g.either(*lost)
    return g.false


def quoted(term: ir.Term) -> str:
    """A term's source, for a message."""
    return f"`{term.span.text()}`" if term.span else "this"
