"""Types of collections, and the values and number of rounds of generators over them."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from math import prod
from typing import Any

from specmodel.domains import (
    BagDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    NamedDomain,
    SeqDomain,
    SetDomain,
    SparseMapDomain,
)
from specmodel.domains.scalars import ScalarSet
from specmodel.ir.nodes import INT, Apply, Constant, Generator, Source, Term
from specmodel.lang.lowering.types import bag


def of_kind(kind: str, element: Domain, most: int) -> Domain:
    """The type of a set, bag or list, by `kind`; a list has at most `most` elements."""
    if kind == "bag":
        return bag(element)
    return SetDomain(element) if kind == "set" else SeqDomain(element, most)


def members(term: Term) -> Term:
    """The collection that a generator over a term iterates: a bag's members, or the keys of a map
    with a capacity, as sets; any other term unchanged."""
    if not isinstance(term.type, BagDomain | SparseMapDomain):
        return term
    return Apply(SetDomain(term.type.slot_key), term.span, "members", (term,))


def domain_of_class(value: Any) -> Domain | None:
    """The domain of the members of a scalar set or an enum class; None for other values."""
    if isinstance(value, type):
        if issubclass(value, ScalarSet):
            return value.__domain__
        if issubclass(value, enum.Enum):
            return EnumDomain(value)
    return None


def all_of(source: Source) -> Domain | None:
    """The domain whose values a source yields, each once and in order; None if there is none."""
    if source.kind in ("keys", "items"):
        held = source.terms[0].type
        return held.key if isinstance(held, MapDomain) else None
    if source.kind == "range":
        low, high = source.terms
        if isinstance(low, Constant) and isinstance(high, Constant) and low.value < high.value:
            return IntDomain(low.value, high.value - 1)
    return source.domain


def most(generators: Iterable[Generator]) -> int:
    """An upper bound for the rounds of generators, by their types."""
    return prod(_most(generator.source) for generator in generators)


def _most(source: Source) -> int:
    """An upper bound for the values of a source, by its type."""
    if source.domain is not None:
        return source.domain.size
    held = source.terms[0].type if source.terms else INT
    if isinstance(held, SeqDomain):
        return held.capacity
    if isinstance(held, MapDomain):
        return held.key.size
    if isinstance(held, SetDomain) and isinstance(held.element, NamedDomain):
        return held.element.size
    return 1 << 20
