"""Finite domains: the values that a variable of a state may have.

A domain has a number of values (`size`), their canonical order (`index` and its inverse `at`), and
a function that makes a private, checked copy of a value (`store`). Domains are also the types of
the IR. They do not depend on the front end: `specmodel.lang.annotations` makes them from Python
annotations.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from specmodel.domains.containers import Map, Seq, too_many
from specmodel.domains.sets import ValueSet, frozen
from specmodel.domains.shapes import is_mapping, is_sequence, is_set
from specmodel.errors import BoundExceeded, DomainError, FoundPlace

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


class _Plain(Domain):
    """A domain of scalars."""

    @cached_property
    def scalar(self) -> bool:
        return True


class NamedDomain(_Plain):
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


@dataclass(frozen=True)
class BoolDomain(_Plain):
    """False, True."""

    @cached_property
    def size(self) -> int:
        return 2

    def index(self, value: Any) -> int:
        return int(value)

    def at(self, index: int) -> bool:
        return bool(index)

    def store(self, value: Any, where: str) -> bool:
        if value is True or value is False:
            return value
        raise self._wrong(value, where)

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class IntDomain(_Plain):
    """The integers from low to high, both included.

    `found` is the place if its bounds are found by searching, and not declared.
    """

    low: int
    high: int
    found: FoundPlace | None = field(default=None, compare=False, repr=False)

    @cached_property
    def size(self) -> int:
        return self.high - self.low + 1

    def index(self, value: Any) -> int:
        return value - self.low

    def at(self, index: int) -> int:
        return self.low + index

    def store(self, value: Any, where: str) -> int:
        if type(value) is int:
            if self.low <= value <= self.high:
                return value
            if self.found:
                raise BoundExceeded(self.found, min(value, self.low), max(value, self.high))
        raise self._wrong(value, where)

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


class Position(int):
    """An index of a list that an action picks from, 0 for the first element.

    `picked` is the element in the state before the step, if the state is known.
    """

    picked: Any = None

    def holding(self, value: Any) -> Position:
        """The same index with its element."""
        made = Position(self)
        made.picked = value
        return made

    def __repr__(self) -> str:
        return f"#{int(self) + 1}"


@dataclass(frozen=True)
class PositionDomain(IntDomain):
    """The indexes of a list of at most `high` + 1 elements."""

    def at(self, index: int) -> Position:
        return Position(index)

    def __str__(self) -> str:
        return f"#1..#{self.high + 1}"


@dataclass(frozen=True)
class EnumDomain(NamedDomain):
    """The members of an enum class."""

    cls: type[enum.Enum]
    members: tuple[enum.Enum, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.cls))

    @cached_property
    def _index(self) -> dict[enum.Enum, int]:
        return {m: i for i, m in enumerate(self.members)}

    def index(self, value: Any) -> int:
        return self._index[value]

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class ScalarDomain(NamedDomain):
    """The members of a scalar set such as the replicas; symmetric if they are interchangeable."""

    cls: type[Any]
    name: str
    members: tuple[Any, ...] = field(compare=False)
    symmetric: bool = field(compare=False)

    def index(self, value: Any) -> int:
        return value.position

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OptionDomain(Domain):
    """None, or a value of the inner domain. None comes first."""

    inner: Domain

    @cached_property
    def size(self) -> int:
        return self.inner.size + 1

    @cached_property
    def scalar(self) -> bool:
        return self.inner.scalar

    @cached_property
    def immutable(self) -> bool:
        return self.inner.immutable

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return (self.inner,)

    def index(self, value: Any) -> int:
        return 0 if value is None else 1 + self.inner.index(value)

    def at(self, index: int) -> Any:
        return None if index == 0 else self.inner.at(index - 1)

    def store(self, value: Any, where: str) -> Any:
        return None if value is None else self.inner.store(value, where)

    def copy(self, value: Any) -> Any:
        return None if value is None else self.inner.copy(value)

    def __str__(self) -> str:
        return f"{self.inner} | None"


@dataclass(frozen=True)
class StructDomain(ProductDomain):
    """Named fields, each with its domain. `cls` builds a value from the fields in order."""

    cls: type[Any]
    name: str
    fields: Mapping[str, Domain] = field(compare=False)

    @cached_property
    def places(self) -> tuple[Domain, ...]:
        return tuple(self.fields.values())

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return self.places

    def split(self, value: Any) -> Iterable[Any]:
        return map(value.__dict__.__getitem__, self.fields)

    def build(self, values: Sequence[Any]) -> Any:
        made = object.__new__(self.cls)
        made.__dict__.update(zip(self.fields, values, strict=True))
        return made

    def store(self, value: Any, where: str) -> Any:
        kind = value.__class__
        if kind is not self.cls and kind is not self.cls.__fixed__:
            raise self._wrong(value, where)
        return self.copy(value)

    @cached_property
    def _mutable(self) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
        """The fields whose values have to be copied, with the function that copies them."""
        fields = self.fields.items()
        return tuple((name, domain.copy) for name, domain in fields if not domain.immutable)

    def copy(self, value: Any) -> Any:
        made = object.__new__(self.cls)
        held = made.__dict__
        held.update(value.__dict__)
        for name, copy in self._mutable:
            held[name] = copy(held[name])
        return made

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class MapDomain(ProductDomain):
    """Total maps from every value of the key domain to the value domain."""

    key: Domain
    value: Domain

    @cached_property
    def keys(self) -> tuple[Any, ...]:
        return tuple(frozen(key) for key in self.key.values())

    @cached_property
    def places(self) -> tuple[Domain, ...]:
        return (self.value,) * self.key.size

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return (self.key, self.value)

    def split(self, value: Any) -> Iterable[Any]:
        return value.values()

    def build(self, values: Sequence[Any]) -> Map:
        return Map(self, zip(self.keys, values, strict=True))

    def store(self, value: Any, where: str) -> Map:
        if not is_mapping(value) or len(value) != len(self.keys):
            raise self._wrong(value, where)
        try:
            return Map(self, [(k, self.value.store(value[k], f"{where}[{k}]")) for k in self.keys])
        except KeyError as missing:
            raise DomainError(f"{where}: no value for key {missing}; a map is total") from None

    def copy(self, value: Any) -> Map:
        if self.value.immutable:
            return Map(self, value)
        copy = self.value.copy
        return Map(self, {k: copy(v) for k, v in value.items()})

    @property
    def example(self) -> str:
        return f"a map has every key: {{k: ... for k in {self.key}}}" if self.key.scalar else ""

    def __str__(self) -> str:
        return f"{self.key} -> {self.value}"


@dataclass(frozen=True)
class SetDomain(Domain):
    """Finite sets of values of the element domain."""

    element: Domain

    @cached_property
    def size(self) -> int:
        """The number of values, as if the element domain had at most MOST_PLACES + 1 values: larger
        ones are refused, and the exact number could fill memory."""
        return 1 << min(self.element.size, MOST_PLACES + 1)

    @cached_property
    def immutable(self) -> bool:
        return True

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return (self.element,)

    def index(self, value: Any) -> int:
        return sum(1 << self.element.index(v) for v in value)

    def at(self, index: int) -> ValueSet:
        n = self.element.size
        return ValueSet.of(tuple(frozen(self.element.at(i)) for i in range(n) if index >> i & 1))

    def store(self, value: Any, where: str) -> ValueSet:
        if type(value) is ValueSet and not value:
            return value
        if not is_set(value):
            raise self._wrong(value, where)
        stored = [frozen(self.element.store(v, f"{where}: element")) for v in value]
        return ValueSet.of(tuple(sorted(stored, key=self.element.index)))

    @property
    def example(self) -> str:
        return "write set() for the empty set, {x, y} for others"

    def __str__(self) -> str:
        return f"Set[{self.element}]"


@dataclass(frozen=True)
class SeqDomain(Domain):
    """Sequences of at most `capacity` values of the element domain, shorter ones first.

    `found` is the place if its capacity is found by searching, and not declared.
    """

    element: Domain
    capacity: int
    found: FoundPlace | None = field(default=None, compare=False, repr=False)

    @cached_property
    def size(self) -> int:
        return sum(self.element.size**n for n in range(self.capacity + 1))

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return (self.element,)

    def index(self, value: Any) -> int:
        radix, rank = self.element.size, 0
        for held in value:
            rank = rank * radix + self.element.index(held)
        return sum(radix**n for n in range(len(value))) + rank

    def at(self, index: int) -> Seq:
        radix, length = self.element.size, 0
        while index >= radix**length:
            index -= radix**length
            length += 1
        values: list[Any] = []
        for _ in range(length):
            index, rest = divmod(index, radix)
            values.append(self.element.at(rest))
        return Seq(self, reversed(values))

    def store(self, value: Any, where: str) -> Seq:
        if not is_sequence(value):
            raise self._wrong(value, where)
        if len(value) > self.capacity:
            what = f"{where.lstrip('.')}: {len(value)} elements exceed the capacity {self.capacity}"
            raise too_many(self, len(value), what)
        return Seq(self, [self.element.store(v, f"{where}[{i}]") for i, v in enumerate(value)])

    def copy(self, value: Any) -> Seq:
        if self.element.immutable:
            return Seq(self, value)
        return Seq(self, map(self.element.copy, value))

    @property
    def example(self) -> str:
        return "write [] for the empty list, [x, y] for others"

    def __str__(self) -> str:
        return f"list[{self.element}] up to {self.capacity}"
