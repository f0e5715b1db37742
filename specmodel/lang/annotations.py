"""The domains of annotations: `Annotated[int, Range(0, 3)]`, `dict[K, V]`, `A | B | None`."""

from __future__ import annotations

import enum
import sys
import types
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from specmodel.dataclass import dataclass
from specmodel.domains import (
    MOST_PLACES,
    Bag,
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
    TupleDomain,
    UnionDomain,
)
from specmodel.domains.found import bounded
from specmodel.domains.records import own_method
from specmodel.domains.unions import Alternative, alternatives_of, refuse_alike
from specmodel.errors import SpecError
from specmodel.lang.bounds import found_bound


@dataclass(frozen=True)
class Range:
    """The bounds of an int, both included: `Annotated[int, Range(0, log_size)]`."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if type(self.low) is not int or type(self.high) is not int:
            raise SpecError(f"Range({self.low!r}, {self.high!r}): both bounds are ints")
        if self.low > self.high:
            raise SpecError(f"Range({self.low}, {self.high}) is empty")


@dataclass(frozen=True)
class Capacity:
    """The most elements of a list or set, copies of a bag, or keys of a map:
    `Annotated[list[Record], Capacity(log_size)]`.

    A set with a capacity may have elements of any domain, however large: `Annotated[Set[Message],
    Capacity(3)]`. For a set without a capacity, a state has a bit for each possible member.

    `Capacity()` leaves the number to the search.
    """

    most: int | None = None

    def __post_init__(self) -> None:
        if self.most is None:
            return
        if type(self.most) is not int or not 0 <= self.most <= MOST_PLACES:
            held = f"a list, set, bag or map has 0 to {MOST_PLACES:,} elements"
            raise SpecError(f"Capacity({self.most!r}): {held}")


DATACLASS = ("is a Struct and a dataclass, which compares otherwise", "leave @dataclass out")
"""The message for a struct that is a dataclass, and a hint."""


def domain_of(annotation: Any, where: str, place: str = "") -> Domain:
    """The domain that an annotation (as `typing.get_type_hints` returns it) declares.

    `place` is the name of a place whose bounds are found where the annotation declares none. Raises
    SpecError, naming `where`, if the annotation is not finite or not part of the language.
    """
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(args[0], args[1:], where, place)
    if origin in (Union, types.UnionType):
        return _union(annotation, args, where, place)
    if origin in _COLLECTIONS and args:
        return _collection(annotation, where, place)
    if origin is tuple and args and Ellipsis not in args:
        return _tuple(args, where, place)
    if annotation is int and place:
        (low, high), found = found_bound(place, False)
        return IntDomain(low, high, found)
    if isinstance(annotation, type):
        known = getattr(annotation, "__domain__", None)
        if isinstance(known, Domain):
            if is_dataclass(annotation):
                raise SpecError(f"{where}: {annotation.__name__} {DATACLASS[0]}", hint=DATACLASS[1])
            return known
        if annotation is bool:
            return BoolDomain()
        if issubclass(annotation, enum.Flag):
            what = (
                f"{where}: {annotation.__name__} is a Flag, whose values can be more than its names"
            )
            raise SpecError(what, hint="write Set[X], with an Enum for X")
        if issubclass(annotation, enum.Enum):
            for method in ("__eq__", "__ne__"):
                if isinstance(getattr(annotation, method), types.FunctionType):
                    raise own_method(annotation, method)
            for member in annotation:
                if member != member:  # a member that is NaN
                    raise SpecError(f"{member} is not equal to itself", hint="give it a number")
            return EnumDomain(annotation)
    what, hint = _refusal(annotation, origin)
    raise SpecError(f"{where}: {what}", hint=hint)


def _annotated(kind: Any, marks: tuple[Any, ...], where: str, place: str) -> Domain:
    for mark in marks:
        if isinstance(mark, Range) and kind is int:
            return IntDomain(mark.low, mark.high)
        if isinstance(mark, Capacity) and get_origin(kind) in _COLLECTIONS:
            return _collection(kind, where, place, mark)
        if isinstance(mark, Range | Capacity):
            if kind is not int and get_origin(kind) not in _COLLECTIONS:
                domain_of(kind, where, place)  # which refuses another spelling with the right one
            held = "ints" if isinstance(mark, Range) else "lists, sets, bags and maps"
            what = f"{where}: {written(kind)} has no {type(mark).__name__}: that is of {held}"
            raise SpecError(what)
    return domain_of(kind, where, place)


_COLLECTIONS = (list, dict, frozenset, AbstractSet, Bag)


def _collection(kind: Any, where: str, place: str, capacity: Capacity | None = None) -> Domain:
    """The domain of a list, map, set or bag. Raises SpecError for one without a bound."""
    origin, args = get_origin(kind), get_args(kind)
    inside = f"{place} {'key' if origin is dict else 'element'}" if place else ""
    first = domain_of(args[0], where, inside)
    value = domain_of(args[1], where, f"{place} value" if place else "") if origin is dict else None
    if origin is not list:
        _refuse_slotted(first, where)
    if capacity is None and origin not in (list, Bag):
        few = bounded(first) and first.size <= MOST_PLACES
        if value is not None and (few or not place):
            return MapDomain(_few(first, where, "a map has a key", _PAIRS), value)
        if few or not place:
            return SetDomain(_few(first, where, "a set has a place", _CAPACITY))
    most, found = capacity.most if capacity else None, None
    if most is None:
        if not place:
            what, hint = _refusal(kind, origin)
            raise SpecError(f"{where}: {what}", hint=hint)
        (_, most), found = found_bound(place, True)
    if value is not None:
        return SparseMapDomain(first, value, most, found)
    if origin is list:
        return SeqDomain(first, most, found)
    return (BagDomain if origin is Bag else SlotSetDomain)(first, most, found)


def _tuple(args: tuple[Any, ...], where: str, place: str) -> TupleDomain:
    """The domain of tuples. Raises SpecError for a part that could change in place."""
    names = (f"{place}[{i}]" if place else "" for i in range(len(args)))
    kinds = tuple(domain_of(arg, where, name) for arg, name in zip(args, names, strict=True))
    for arg, kind in zip(args, kinds, strict=True):
        if not kind.immutable:
            what = f"{where}: a tuple is a value, and `{written(arg)}` can change"
            raise SpecError(what, hint="name its parts as the fields of a Struct")
    return TupleDomain(kinds)


def _union(annotation: Any, args: tuple[Any, ...], where: str, place: str) -> Domain:
    """The domain of `A | B`, of `A | None`, or of `A | B | None`."""
    rest = [a for a in args if a is not type(None)]
    inner = domain_of(rest[0], where, place) if len(rest) == 1 else _alternatives(rest, where)
    return OptionDomain(inner) if len(rest) < len(args) else inner


def _alternatives(annotations: list[Any], where: str) -> Domain:
    """The union of classes. Raises SpecError for one that cannot be an alternative."""
    found: list[Alternative] = []
    for annotation in annotations:
        plain = isinstance(annotation, type) and annotation not in (int, bool)
        if not plain or not (held := alternatives_of(domain_of(annotation, where))):
            raise SpecError(
                f"{where}: `{written(annotation)}` is no alternative of a union",
                hint="a union is of Structs, Enums and ScalarSets, and None: wrap it in a Struct",
            )
        found += held
    refuse_alike(found, where)
    return UnionDomain.of(found)


_PAIRS = "say how many keys there are at most: Annotated[dict[K, V], Capacity(most)]"
_CAPACITY = "say how many there are at most: Annotated[Set[X], Capacity(most)]"


def _refuse_slotted(domain: Domain, where: str) -> None:
    """Raises SpecError for members of a set or keys of a map that cannot be ordered."""
    if inner := next((d for d in domain.nested() if isinstance(d, SlottedDomain)), None):
        what = f"{where}: a {slotted_name(inner)} lies within a set, in a bag, or in a map's key"
        raise SpecError(what, hint="write Annotated[list[X], Capacity(most)] within")


def slotted_name(domain: SlottedDomain) -> str:
    """The name, in messages, of a collection with a capacity."""
    if isinstance(domain, BagDomain):
        return "bag"
    return f"{'map' if isinstance(domain, SparseMapDomain) else 'set'} with a capacity"


def _few(domain: Domain, where: str, what: str, instead: str) -> Domain:
    """The domain of a map's keys or a set's members. Raises SpecError if it is too large."""
    if domain.size <= MOST_PLACES:
        return domain
    size = f"{domain.size:,}" if domain.size < 10**18 else "more than 10^18"
    raise SpecError(
        f"{where}: {what} for each of the {size} values of {domain}, and there is room for "
        f"{MOST_PLACES:,}",
        hint=f"take smaller ranges, or {instead}",
    )


def enumerated(domain: Domain, where: str) -> Domain:
    """A domain whose values are gone through. Raises SpecError for one with bounds to be found."""
    if bounded(domain):
        return domain
    what = f"{where}: the values of {domain} have no end, as not all of its ints have a Range"
    raise SpecError(what, hint="give them one, or take a value that the state has: pick(s.values)")


_HOMES = {"Annotated": "typing", "Enum": "enum", "auto": "enum"}
"""The modules of names of Python that specs use."""


def import_of(wrong: NameError) -> str:
    """A hint at the import of a name that specs use, and that a module does not have."""
    name = wrong.name or ""
    of_language = name in getattr(sys.modules.get("specmodel.lang"), "__all__", ())
    home = "specmodel.lang" if of_language else _HOMES.get(name)
    return f"write `from {home} import {name}`" if home else ""


INSTEAD = {
    str: "a state holds no text: name its values in an Enum",
    bytes: "a state holds no text: name its values in an Enum",
    float: "count in smaller units: Annotated[int, Range(low, high)]",
    complex: "count in smaller units: Annotated[int, Range(low, high)]",
    tuple: "say what its parts are: tuple[A, B]",
    object: "say which values there are",
    type(None): "write `X | None`",
}
"""Hints for types that are infinite, or whose parts have no names."""


def _refusal(annotation: Any, origin: Any) -> tuple[str, str]:
    """The message for an annotation that is no finite type, and a hint."""
    name, inner = written(annotation), ", ".join(map(written, get_args(annotation)))
    if annotation is int:
        return "an int needs bounds", "write Annotated[int, Range(low, high)]"
    if list in (annotation, origin):
        return "a list needs a capacity", f"write Annotated[list[{inner or 'X'}], Capacity(most)]"
    if set in (annotation, origin):
        element = inner or "X"
        return "a set in a state is a value", f"write Set[{element}], with Set from specmodel.lang"
    if Bag in (annotation, origin):
        return "a bag needs a capacity", f"write Annotated[Bag[{inner or 'X'}], Capacity(most)]"
    if annotation is dict:
        return "a dict needs the types of its keys and values", "write dict[K, V]"
    if annotation in (frozenset, AbstractSet):
        return "a set needs the type of its members", "write Set[X], with Set from specmodel.lang"
    if origin is tuple:
        held = next(iter(get_args(annotation)), object)
        what = "a tuple has a fixed length, with a type for each part"
        return what, f"write Annotated[list[{written(held)}], Capacity(most)], or tuple[A, B]"
    hint = INSTEAD.get(annotation, "")
    if isinstance(annotation, type) and not hint:
        hint = f"if {name} is a class of yours, make it a Struct, an Enum or a ScalarSet"
    if isinstance(annotation, Range | Capacity):
        kind = "int" if isinstance(annotation, Range) else "list[X]"
        hint = f"write Annotated[{kind}, {name}]"
    return f"`{name}` is not a finite type", hint


def written(annotation: Any) -> str:
    """An annotation's text, as in the source, without names of modules."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return " | ".join(map(written, args))
    if annotation is type(None):
        return "None"
    if origin is not None:
        kind = "Annotated" if origin is Annotated else written(origin)
        return f"{kind}[{', '.join(map(written, args))}]"
    return annotation.__name__ if isinstance(annotation, type) else repr(annotation)
