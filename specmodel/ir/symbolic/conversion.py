"""Values of one type as values of another that they go together with.

Under CPython a value is the same whatever type a place has for it. Here it is written differently:
a plain value that stands among optionals becomes an optional, wherever it lies in a composite.
"""

from __future__ import annotations

from specmodel.domains import Domain, MapDomain, OptionDomain, SeqDomain, SetDomain
from specmodel.ir.nodes import NONE
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.elements import limited, position, retyped
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.values import Map, Option, Seq, Set, Value


def converted(algebra: Algebra, value: Value, source: Domain, target: Domain) -> Value:
    """A value of one type as one of another; where it is `lacking` it means nothing."""
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
    if isinstance(value, Set) and isinstance(target, SetDomain):
        element = limited(retyped(value.element, target.element))
        return algebra.sets.over(value, element)
    if isinstance(value, Seq):
        assert isinstance(source, SeqDomain) and isinstance(target, SeqDomain)
        kinds = source.element, target.element
        elements = tuple(converted(algebra, held, *kinds) for held in value.elements)
        same = all(a is b for a, b in zip(elements, value.elements, strict=True))
        return value if same else Seq(value.length, elements, None)
    if isinstance(value, Map):
        assert isinstance(source, MapDomain) and isinstance(target, MapDomain)
        kinds = source.value, target.value
        return Map(tuple(converted(algebra, held, *kinds) for held in value.values))
    return value


def lacking(algebra: Algebra, value: Value, source: Domain, target: Domain) -> Node:
    """Whether a value has None somewhere where the target type has no place for it."""
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
    if isinstance(value, Set) and isinstance(target, SetDomain):
        element = limited(retyped(value.element, target.element))
        lost = (
            algebra.sets.member_at(value, i)
            for i in range(value.element.size)
            if position(element, value.element.at(i)) is None
        )
        return g.either(*lost)
    if isinstance(value, Seq):
        assert isinstance(source, SeqDomain) and isinstance(target, SeqDomain)
        kinds = source.element, target.element
        parts = (
            g.both(g.lt(g.int(i), value.length), lacking(algebra, held, *kinds))
            for i, held in enumerate(value.elements)
        )
        return g.either(*parts)
    if isinstance(value, Map):
        assert isinstance(source, MapDomain) and isinstance(target, MapDomain)
        kinds = source.value, target.value
        return g.either(*(lacking(algebra, held, *kinds) for held in value.values))
    return g.false
