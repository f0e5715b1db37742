"""Hypothesis strategies: random finite domains of every kind, nested, and values of them."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from specmodel.domains import (
    BagDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlotSetDomain,
    SlottedDomain,
    SparseMapDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.lang import ScalarSet, Struct

MOST_KEYS = 6
MOST_ELEMENTS = 16


class Colour(enum.Enum):
    """An enum whose values are not its places."""

    red = 3
    green = 1
    blue = 2


class Node(ScalarSet, size=3, symmetric=True):
    """Actors n1, n2, n3."""


class Vote(ScalarSet, size=2, symmetric=True):
    """Actors v1, v2."""


DEPTH = 3

_FIXED: tuple[Domain, ...] = (BoolDomain(), EnumDomain(Colour), Node.__domain__, Vote.__domain__)
_LEAVES = ("int", "fixed")
_SLOTTED = ("slot set", "bag", "sparse map")
_KINDS = (*_LEAVES, "option", "map", "set", "sequence", "struct", "tuple", "union")
_FIELDS = ("tag", "value", "a")


@st.composite
def domains(draw: st.DrawFn, depth: int = DEPTH, slotted: bool = False) -> Domain:
    """Domains of every kind, nested. Two of the fields' names mean something to ITF.

    With `slotted` also collections with a capacity, of which `at` gives some values several times.
    """
    kind = draw(st.sampled_from((*_KINDS, *_SLOTTED * slotted) if depth else _LEAVES))
    if kind == "int":
        low = draw(st.integers(-3, 3))
        return IntDomain(low, low + draw(st.integers(0, 4)))
    if kind == "fixed":
        return draw(st.sampled_from(_FIXED))
    if kind == "struct":
        count = draw(st.integers(1, len(_FIELDS)))
        return struct_of({name: draw(domains(depth - 1, slotted)) for name in _FIELDS[:count]})
    if kind == "tuple":
        parts = [draw(domains(depth - 1, slotted)) for _ in range(draw(st.integers(1, 3)))]
        return TupleDomain(tuple(d if d.immutable else Node.__domain__ for d in parts))
    if kind == "union":
        count = draw(st.integers(1, 2))
        parts = [
            struct_of({"a": draw(domains(depth - 1, slotted))}, f"Made{i}") for i in range(count)
        ]
        named = [EnumDomain(Colour), Node.__domain__]
        return UnionDomain.of([*parts, named[draw(st.integers(0, 1))]])
    if kind == "sparse map":
        key, value = draw(domains(depth - 1)), draw(domains(depth - 1, slotted))
        return SparseMapDomain(key, value, draw(st.integers(0, 3)))
    if kind in _SLOTTED:
        cls = BagDomain if kind == "bag" else SlotSetDomain
        return cls(draw(domains(depth - 1)), draw(st.integers(0, 3)))
    inner = draw(domains(depth - 1, slotted))
    if kind == "option":
        return inner if isinstance(inner, OptionDomain) else OptionDomain(inner)
    if kind == "sequence":
        return SeqDomain(inner, draw(st.integers(0, 3)))
    most = MOST_ELEMENTS if kind == "set" else MOST_KEYS
    if inner.size > most or any(isinstance(part, SlottedDomain) for part in inner.nested()):
        inner = Node.__domain__
    if kind == "set":
        return SetDomain(inner)
    return MapDomain(inner, draw(domains(depth - 1, slotted)))


def struct_of(fields: Mapping[str, Domain], name: str = "Made") -> StructDomain:
    """A struct class with these fields; it compares by its fields, as any struct does."""

    def annotate(namespace: dict[str, Any]) -> None:
        # The real domains are set below: annotations cannot say every nested domain.
        namespace["__annotations__"] = {}

    made = types.new_class(name, (Struct,), {}, annotate)
    made.__domain__ = StructDomain(made, name, fields)  # type: ignore[attr-defined]
    return made.__domain__  # type: ignore[attr-defined, no-any-return]


@st.composite
def domains_with_values(draw: st.DrawFn, count: int = 1) -> tuple[Domain, list[Any]]:
    """A domain and some of its values."""
    domain = draw(domains(slotted=True))
    places = st.integers(0, domain.size - 1)
    return domain, [domain.at(draw(places)) for _ in range(count)]
