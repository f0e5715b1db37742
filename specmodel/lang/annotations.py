"""From annotations to domains: `Annotated[int, Range(0, 3)]`, `dict[Replica, Log]`, `X | None`."""

from __future__ import annotations

import enum
import types
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from specmodel.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
)
from specmodel.errors import SpecError


@dataclass(frozen=True)
class Range:
    """Bounds of an int, both included: `Annotated[int, Range(0, log_size)]`."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise SpecError(f"Range({self.low}, {self.high}) is empty")


@dataclass(frozen=True)
class Capacity:
    """The most elements a list may hold: `Annotated[list[Record], Capacity(log_size)]`."""

    most: int

    def __post_init__(self) -> None:
        if self.most < 0:
            raise SpecError(f"Capacity({self.most}) is negative")


def domain_of(annotation: Any, where: str) -> Domain:
    """The domain that an annotation (as `typing.get_type_hints` gives it) declares.

    Raises SpecError, naming `where`, if the annotation is not finite or not one of the language's.
    """
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(args[0], args[1:], where)
    if origin in (Union, types.UnionType):
        rest = [a for a in args if a is not type(None)]
        if len(rest) != 1 or len(args) != 2:
            raise SpecError(f"{where}: the only union is `X | None`, not {annotation}")
        return OptionDomain(domain_of(rest[0], where))
    if origin is dict:
        return MapDomain(domain_of(args[0], where), domain_of(args[1], where))
    if origin in (frozenset, AbstractSet):
        return SetDomain(domain_of(args[0], where))
    if isinstance(annotation, type):
        known = getattr(annotation, "__domain__", None)
        if isinstance(known, Domain):
            return known
        if annotation is bool:
            return BoolDomain()
        if issubclass(annotation, enum.Enum):
            return EnumDomain(annotation)
    raise SpecError(f"{where}: {_hint(annotation, origin)}")


def _annotated(kind: Any, marks: tuple[Any, ...], where: str) -> Domain:
    for mark in marks:
        if isinstance(mark, Range) and kind is int:
            return IntDomain(mark.low, mark.high)
        if isinstance(mark, Capacity) and get_origin(kind) is list:
            return SeqDomain(domain_of(get_args(kind)[0], where), mark.most)
    return domain_of(kind, where)


def _hint(annotation: Any, origin: Any) -> str:
    if annotation is int:
        return "an int needs bounds: Annotated[int, Range(low, high)]"
    if annotation is list or origin is list:
        return "a list needs a capacity: Annotated[list[X], Capacity(most)]"
    if annotation is set or origin is set:
        return "sets are immutable values here: Set[X] from specmodel.lang"
    if annotation in (dict, frozenset, AbstractSet):
        return f"{annotation.__name__} needs its element types in brackets"
    return f"{annotation!r} is not a finite domain of the language"


def is_scalar_set(annotation: Any) -> bool:
    """Whether an annotation names a scalar set."""
    return isinstance(getattr(annotation, "__domain__", None), ScalarDomain)
