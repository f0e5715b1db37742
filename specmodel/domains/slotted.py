"""Collections with a capacity: a bounded number of entries, from a domain of any size.

A state has a slot for each entry, and keeps the entries in order. An entry is a member of a set, a
member of a bag with its count, or a key of a map with its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains.atoms import IntDomain
from specmodel.domains.bags import Bag, is_bag
from specmodel.domains.composites import SeqDomain, SetDomain, TupleDomain
from specmodel.domains.containers import SparseMap, check_room
from specmodel.domains.domain import Domain
from specmodel.domains.sets import ValueSet, frozen
from specmodel.domains.shapes import is_mapping
from specmodel.errors import FoundPlace


class SlottedDomain(Domain):
    """Collections of at most `capacity` entries in the order of their keys, smaller ones first.

    `size` and `at` are the ones of lists of entries, some of which are no collections: `lang`
    refuses to enumerate this domain. `found` is the place if its capacity is found by searching.
    """

    capacity: int
    found: FoundPlace | None

    @cached_property
    def slot_key(self) -> Domain:
        """The domain of the key that orders the entries. No two entries have the same key."""
        return self.parts[0]

    @cached_property
    def entry(self) -> Domain:
        """The domain of an entry."""
        return self.slot_key

    @cached_property
    def slots(self) -> SeqDomain:
        """The domain of the list of entries, in order."""
        return SeqDomain(self.entry, self.capacity)

    def entries(self, value: Any) -> Sequence[Any]:
        """The entries of a value, in order."""
        return tuple(value)

    def of(self, entries: Iterable[Any]) -> Any:
        """The value with given entries, already stored, in any order."""
        raise NotImplementedError

    @cached_property
    def size(self) -> int:
        return self.slots.size

    def index(self, value: Any) -> int:
        return self.slots.index(self.entries(value))

    def at(self, index: int) -> Any:
        return self.of(self.slots.at(index))


@dataclass(frozen=True)
class SlotSetDomain(SlottedDomain, SetDomain):
    """Sets of at most `capacity` values of the element domain."""

    capacity: int
    found: FoundPlace | None = field(default=None, compare=False, repr=False)

    def of(self, entries: Iterable[Any]) -> ValueSet:
        return self.store({*map(frozen, entries)}, "")

    def store(self, value: Any, where: str) -> ValueSet:
        stored = super().store(value, where)
        check_room(self, len(stored), "members", where)
        return stored

    def __str__(self) -> str:
        return f"Set[{self.element}] up to {self.capacity}"


@dataclass(frozen=True)
class EntryDomain(TupleDomain):
    """Pairs of a key and its value or count. `titles` are their names in tables."""

    titles: tuple[str, str]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.titles


@dataclass(frozen=True)
class BagDomain(SlottedDomain):
    """Bags of at most `capacity` copies, in total, of values of the element domain."""

    element: Domain
    capacity: int
    found: FoundPlace | None = field(default=None, compare=False, repr=False)

    @cached_property
    def immutable(self) -> bool:
        return True

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return (self.element,)

    @cached_property
    def entry(self) -> Domain:
        return EntryDomain((self.element, IntDomain(1, max(self.capacity, 1))), ("member", "count"))

    def entries(self, value: Any) -> Sequence[Any]:
        return tuple(value.items())

    def of(self, entries: Iterable[Any]) -> Bag[Any]:
        room, held = self.capacity, dict[Any, int]()
        for member, count in entries:  # the entries from `at` may have too many copies
            if copies := min(count, room):
                held[frozen(member)] = held.get(member, 0) + copies
                room -= copies
        return self._sorted([*held.items()])

    def _sorted(self, entries: list[tuple[Any, int]]) -> Bag[Any]:
        return Bag[Any].of(sorted(entries, key=lambda entry: self.element.index(entry[0])))

    def store(self, value: Any, where: str) -> Bag[Any]:
        held = value
        if not is_bag(held):
            raise self._wrong(value, where)
        check_room(self, len(held), "members", where)
        store = self.element.store
        return self._sorted(
            [(frozen(store(member, f"{where}: member")), n) for member, n in held.items()]
        )

    @property
    def example(self) -> str:
        return "write Bag() for the empty bag, Bag([x, x, y]) for others"

    def __str__(self) -> str:
        return f"Bag[{self.element}] up to {self.capacity}"


@dataclass(frozen=True)
class SparseMapDomain(SlottedDomain):
    """Maps with at most `capacity` keys of the key domain."""

    key: Domain
    value: Domain
    capacity: int
    found: FoundPlace | None = field(default=None, compare=False, repr=False)

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return (self.key, self.value)

    @cached_property
    def entry(self) -> Domain:
        return EntryDomain((self.key, self.value), ("key", "value"))

    def entries(self, value: Any) -> Sequence[Any]:
        return tuple(value.items())

    def of(self, entries: Iterable[Any]) -> SparseMap:
        held = {frozen(key): value for key, value in entries}
        return SparseMap(self, sorted(held.items(), key=lambda entry: self.key.index(entry[0])))

    def store(self, value: Any, where: str) -> SparseMap:
        if not is_mapping(value):
            raise self._wrong(value, where)
        check_room(self, len(value), "keys", where)
        return self.of(
            (self.key.store(key, f"{where}: key"), self.value.store(held, f"{where}[{key}]"))
            for key, held in value.items()
        )

    def copy(self, value: Any) -> SparseMap:
        if self.value.immutable:
            return SparseMap(self, value)
        copy = self.value.copy
        return SparseMap(self, {key: copy(held) for key, held in value.items()})

    @property
    def example(self) -> str:
        return "write {} for the empty map, {k: v} for others"

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.value}] up to {self.capacity}"
