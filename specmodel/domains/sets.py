"""The sets of a spec under CPython: values that are iterated in the order of their elements.

All sets of a spec have these classes (see `specmodel.lang.sets`). Their order does not depend on
hashes. A member that could change is copied, and the copy is frozen.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Self

from specmodel.domains.containers import FixedMap, FixedSeq, Map, Seq
from specmodel.domains.shapes import is_mapping, is_sequence, is_set


def frozen(value: Any) -> Any:
    """Makes a value and all its parts immutable, in place; returns the value."""
    if fixed := getattr(_kind(value), "__fixed__", None):  # a struct
        object.__setattr__(value, "__class__", fixed)
        parts: Iterable[Any] = value.__dict__.values()
    elif isinstance(value, Map):
        value.__class__, parts = FixedMap, value.values()
    elif isinstance(value, Seq):
        value.__class__, parts = FixedSeq, value
    else:
        return value
    for part in parts:
        frozen(part)
    return value


def member(value: Any) -> Any:
    """A value as an element of a set: a frozen copy if it could change."""
    kind = _kind(value)
    if kind is Map or kind is Seq:
        return frozen(value.domain.copy(value))
    fixed = getattr(kind, "__fixed__", None)
    if fixed is None or fixed is kind:
        return value
    return frozen(kind.__domain__.copy(value))


def _kind(value: Any) -> Any:
    return value.__class__


@lru_cache(maxsize=64)
def _positions(kind: type[enum.Enum]) -> dict[enum.Enum, int]:
    return {each: position for position, each in enumerate(kind)}


def rank(value: Any) -> Any:
    """The key that sorts values of one type in the order of their domain.

    The alternatives of a union are in the order of their names.
    """
    if value is None:
        return ()
    if isinstance(value, enum.Enum):
        return (type(value).__name__, _positions(type(value))[value])
    if isinstance(value, int):
        return (value,)
    position = getattr(value, "position", None)
    if isinstance(position, int):
        return (type(value).__name__, position)
    if is_mapping(value):
        return tuple(map(rank, value.values()))
    if own := getattr(value, "__rank__", None):  # a bag
        return own()
    if is_set(value):  # as the bits of its elements, the last one first
        return tuple(sorted(map(rank, value), reverse=True))
    if is_sequence(value):
        return (len(value), *map(rank, value))
    return (type(value).__name__, *map(rank, value.__dict__.values()))


def _operators(kind: type[Any], base: type[Any]) -> None:
    """Gives a class of sets the operators of its base class, with `LocalSet`s as results."""

    def operator(name: str) -> Any:
        plain = getattr(base, name)

        def apply(self: Any, *others: Any) -> Any:
            found = plain(self, *others)
            return found if found is NotImplemented else LocalSet(found)

        return apply

    symbols = ("or", "and", "sub", "xor")
    names = [f"__{sign}__" for sign in symbols] + [f"__r{sign}__" for sign in symbols]
    methods = ["union", "intersection", "difference", "symmetric_difference", "copy"]
    for name in (*names, *methods):
        setattr(kind, name, operator(name))
    for sign in symbols:  # a set is a value: `|=` does not change it for its other names
        setattr(kind, f"__i{sign}__", getattr(kind, f"__{sign}__"))


class ValueSet(frozenset[Any]):
    """A stored set: immutable, and iterated in the order of its domain, so that runs repeat."""

    __slots__ = ("ordered",)
    ordered: tuple[Any, ...]

    @classmethod
    def of(cls, ordered: tuple[Any, ...]) -> Self:
        made = cls(ordered)
        made.ordered = ordered
        return made

    def __iter__(self) -> Iterator[Any]:
        return iter(self.ordered)

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self.ordered)) + "}"


class LocalSet(set[Any]):
    """A set that a spec has made and not stored."""

    def __init__(self, elements: Iterable[Any] = ()) -> None:
        super().__init__(map(member, elements))

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(super().__iter__(), key=rank))

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride] - a value
        return hash(frozenset(super().__iter__()))

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self)) + "}"

    def add(self, element: Any) -> None:
        super().add(member(element))


_operators(ValueSet, frozenset)
_operators(LocalSet, set)
