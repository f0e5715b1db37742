"""Hypothesis strategies: random finite domains of every kind, nested, and values of them."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from specmodel.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
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
_KINDS = (*_LEAVES, "option", "map", "set", "sequence", "struct", "union")
_FIELDS = ("tag", "value", "a")


@st.composite
def domains(draw: st.DrawFn, depth: int = DEPTH) -> Domain:
    """Domains of every kind, nested. Two of the fields' names mean something to ITF."""
    kind = draw(st.sampled_from(_KINDS if depth else _LEAVES))
    if kind == "int":
        low = draw(st.integers(-3, 3))
        return IntDomain(low, low + draw(st.integers(0, 4)))
    if kind == "fixed":
        return draw(st.sampled_from(_FIXED))
    if kind == "struct":
        count = draw(st.integers(1, len(_FIELDS)))
        return struct_of({name: draw(domains(depth - 1)) for name in _FIELDS[:count]})
    if kind == "union":
        count = draw(st.integers(1, 2))
        parts = [struct_of({"a": draw(domains(depth - 1))}, f"Made{i}") for i in range(count)]
        named = [EnumDomain(Colour), Node.__domain__]
        return UnionDomain.of([*parts, named[draw(st.integers(0, 1))]])
    inner = draw(domains(depth - 1))
    if kind == "option":
        return inner if isinstance(inner, OptionDomain) else OptionDomain(inner)
    if kind == "sequence":
        return SeqDomain(inner, draw(st.integers(0, 3)))
    if kind == "set":
        return SetDomain(inner if inner.size <= MOST_ELEMENTS else Node.__domain__)
    return MapDomain(
        inner if inner.size <= MOST_KEYS else Node.__domain__, draw(domains(depth - 1))
    )


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
    domain = draw(domains())
    places = st.integers(0, domain.size - 1)
    return domain, [domain.at(draw(places)) for _ in range(count)]
