"""The domains of composites: optionals, structs, maps, sets and lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains.containers import Map, Seq, check_room
from specmodel.domains.domain import MOST_PLACES, Domain, ProductDomain
from specmodel.domains.sets import ValueSet, frozen
from specmodel.domains.shapes import is_mapping, is_sequence, is_set, is_tuple
from specmodel.errors import DomainError, FoundPlace


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
    """Named fields, each with its domain. `cls` builds a value from the fields in order.

    Of a state, `key` names the fields by which a search tells it from others; none stand for all.
    """

    cls: type[Any]
    name: str
    fields: Mapping[str, Domain] = field(compare=False)
    key: tuple[str, ...] = ()

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
class TupleDomain(ProductDomain):
    """Tuples of a fixed length, with a domain for each part."""

    kinds: tuple[Domain, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parts, in tables and in paths."""
        return tuple(map(str, range(len(self.kinds))))

    @cached_property
    def places(self) -> tuple[Domain, ...]:
        return self.kinds

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return self.kinds

    @cached_property
    def immutable(self) -> bool:
        return all(kind.immutable for kind in self.kinds)

    def of(self, kinds: Iterable[Domain]) -> TupleDomain:
        """Tuples of the same kind with other domains for the parts."""
        return replace(self, kinds=tuple(kinds))

    def split(self, value: Any) -> Iterable[Any]:
        return value

    def build(self, values: Sequence[Any]) -> Any:
        return tuple(values)

    def store(self, value: Any, where: str) -> Any:
        if not is_tuple(value) or len(value) != len(self.kinds):
            raise self._wrong(value, where)
        parts = enumerate(zip(self.kinds, value, strict=True))
        return tuple(kind.store(held, f"{where}[{i}]") for i, (kind, held) in parts)

    def copy(self, value: Any) -> Any:
        if self.immutable:
            return value
        return tuple(kind.copy(held) for kind, held in zip(self.kinds, value, strict=True))

    def __str__(self) -> str:
        return f"tuple[{', '.join(map(str, self.kinds))}]"


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
        check_room(self, len(value), "elements", where)
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
