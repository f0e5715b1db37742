"""The normal form of symbolic values: in a place of a domain, each value has one form."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from specmodel.domains import (
    MOST_PLACES,
    Domain,
    OptionDomain,
    ProductDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    TupleDomain,
)
from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.values import Composite, Option, SymbolicSeq, SymbolicSet, Value


def normal(algebra: Algebra, domain: Domain, value: Value) -> Value:
    """A value in the normal form of a domain: with the domain's masks and capacities."""
    if isinstance(domain, SlottedDomain):
        assert isinstance(value, SymbolicSet | SymbolicSeq)
        value = slots.within_capacity(algebra, algebra.listed(value), domain)
        domain = domain.slots
    if isinstance(value, SymbolicSeq) and isinstance(domain, SetDomain):
        value = algebra.masked(value, domain)
    if isinstance(value, SymbolicSet) and isinstance(domain, SetDomain):
        return algebra.sets.over(value, domain.element)
    if isinstance(value, Option) and isinstance(domain, OptionDomain):
        held = normal(algebra, domain.inner, value.held)
        return value if held is value.held else Option(value.present, held)
    if isinstance(value, SymbolicSeq) and isinstance(domain, SeqDomain):
        kept = [normal(algebra, domain.element, e) for e in value.parts[: domain.capacity]]
        padded = len(kept) < domain.capacity
        if padded:
            kept += [algebra.zero(domain.element)] * (domain.capacity - len(kept))
        full = value.length.constant and value.length.value >= len(value.parts)
        blank = domain.element if full or value.blank == domain.element else None
        if tuple(kept) == value.parts and blank == value.blank:
            return value
        # The key of a slot that is added was read nowhere: it may be equal to a constant.
        return replace(value, parts=tuple(kept), blank=blank, stored=value.stored and not padded)
    if isinstance(value, Composite) and isinstance(domain, ProductDomain):
        parts = tuple(map(partial(normal, algebra), domain.places, value.parts))
        same = all(a is b for a, b in zip(parts, value.parts, strict=True))
        return value if same else Composite(parts)
    return value


def ranked(algebra: Algebra, kind: Domain, value: Value) -> Value:
    """A member of a collection, or a key, in the form whose order is that of its domain.

    A set in it has masks. A set of slots comes before another one if it has fewer members, and a
    domain of sets has another order.
    """
    if isinstance(value, SymbolicSeq) and isinstance(kind, SetDomain):
        few = not isinstance(kind, SlottedDomain) and kind.element.size <= MOST_PLACES
        return algebra.masked(value, kind) if few else value
    if isinstance(value, Option) and isinstance(kind, OptionDomain):
        return Option(value.present, ranked(algebra, kind.inner, value.held))
    if isinstance(value, Composite) and isinstance(kind, TupleDomain):
        return Composite(tuple(map(partial(ranked, algebra), kind.places, value.parts)))
    return value
