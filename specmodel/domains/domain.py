"""Finite domains: the values that a variable of a state may have.

A domain has a number of values (`size`), their canonical order (`index` and its inverse `at`), and
a function that makes a private, checked copy of a value (`store`). Domains are also the types of
the IR. They do not depend on the front end: `specmodel.lang.annotations` makes them from Python
annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import prod
from typing import Any

from specmodel.errors import DomainError

MOST_PLACES = 4096
"""The most keys of a map, possible members of a set, and elements of a list. A state has a place
for each of them, and an action has code for each that it may use."""


class Domain:
    """A finite set of values in a fixed order. Subclasses are immutable."""

    @cached_property
    def size(self) -> int:
        """The number of values."""
        raise NotImplementedError

    @cached_property
    def scalar(self) -> bool:
        """Whether a value is one leaf of a state (an int, a bool, a name), not a composite."""
        return False

    @cached_property
    def immutable(self) -> bool:
        """Whether values cannot change, so that they are shared and not copied."""
        return self.scalar

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        """The domains of the parts of a composite's values; none for a scalar.

        The last is the domain of an optional's value, a set's or list's elements, a map's values.
        """
        return ()

    def nested(self) -> Iterator[Domain]:
        """The domain and all domains of its parts, at any depth, outer ones first."""
        yield self
        for part in self.parts:
            yield from part.nested()

    def index(self, value: Any) -> int:
        """The place of a value in the canonical order, 0 to size-1."""
        raise NotImplementedError

    def at(self, index: int) -> Any:
        """The value at a place of the canonical order."""
        raise NotImplementedError

    def values(self) -> Iterator[Any]:
        """Every value, in order."""
        return (self.at(i) for i in range(self.size))

    def store(self, value: Any, where: str) -> Any:
        """A private, checked copy of a value, in the form in which a state holds it.

        Raises DomainError, naming `where`, if the value is not in the domain.
        """
        raise NotImplementedError

    def copy(self, value: Any) -> Any:
        """A private copy of a stored value; immutable values are shared."""
        return value

    @property
    def example(self) -> str:
        """A hint how to write a value, if values of another type are often written; else ""."""
        return ""

    def _wrong(self, value: Any, where: str) -> DomainError:
        message = f"{where.lstrip('.')} = {value!r} leaves its domain {self}"
        return DomainError(message, hint=self.example)


class AtomDomain(Domain):
    """A domain of scalars."""

    @cached_property
    def scalar(self) -> bool:
        return True


class NamedDomain(AtomDomain):
    """The members of a class, each with a name, in the order of their definition."""

    cls: type[Any]
    members: tuple[Any, ...]

    @cached_property
    def size(self) -> int:
        return len(self.members)

    def at(self, index: int) -> Any:
        return self.members[index]

    def store(self, value: Any, where: str) -> Any:
        if type(value) is self.cls:
            return value
        raise self._wrong(value, where)


class ProductDomain(Domain):
    """Values with a fixed number of places, such as the fields of a struct."""

    @cached_property
    def places(self) -> tuple[Domain, ...]:
        """The domain of each place, in order."""
        raise NotImplementedError

    def split(self, value: Any) -> Iterable[Any]:
        """The values in the places of a value, in order."""
        raise NotImplementedError

    def build(self, values: Sequence[Any]) -> Any:
        """The value with given values, already stored, in its places. It checks nothing."""
        raise NotImplementedError

    @cached_property
    def size(self) -> int:
        return prod(place.size for place in self.places)

    def index(self, value: Any) -> int:
        result = 0
        for place, held in zip(self.places, self.split(value), strict=True):
            result = result * place.size + place.index(held)
        return result

    def at(self, index: int) -> Any:
        values: list[Any] = []
        for place in reversed(self.places):
            index, rest = divmod(index, place.size)
            values.append(place.at(rest))
        return self.build(values[::-1])
