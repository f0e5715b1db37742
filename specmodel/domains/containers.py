"""The mutable values of a state under CPython: lists and dicts that check each store.

A spec writes `s.log[r].append(x)` as on a plain list or dict. These subclasses check each store
against the declared domain and store a private copy. So two places of a state never share an
object, and a value that leaves its domain is always reported.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol, SupportsIndex

from specmodel.domains.domain import Domain
from specmodel.errors import BoundExceeded, DomainError, FoundPlace, SpecError


class _OfMaps(Protocol):
    """The methods of its domain that a map uses."""

    @property
    def value(self) -> Domain: ...


class _WithCapacity(Protocol):
    """The methods of its domain that a collection with a capacity uses."""

    @property
    def capacity(self) -> int: ...
    @property
    def found(self) -> FoundPlace | None: ...


class _OfSparseMaps(_OfMaps, _WithCapacity, Protocol):
    @property
    def key(self) -> Domain: ...
    def of(self, entries: Iterable[Any]) -> Any: ...


class _OfSeqs(_WithCapacity, Protocol):
    @property
    def element(self) -> Domain: ...


class Writes:
    """Numbers stores into states, so that an engine can tell whether a scratch copy is unchanged.

    `count` is the number of a recent store. No two stores have the same number, so it changes with
    each store, also while other threads store into states of their own.
    """

    count = 0
    next = itertools.count(1).__next__


def _refuse(what: str, instead: str) -> NoReturn:
    raise SpecError(f"a state does not support {what}", hint=instead)


def _refused(what: str, instead: str) -> Any:
    """A method that refuses: the values of a state lack it. It raises SpecError."""

    def method(*args: Any, **options: Any) -> NoReturn:
        _refuse(what, instead)

    return method


def check_room(domain: _WithCapacity, needed: int, parts: str, where: str) -> None:
    """Raises an error if a collection has more parts than its capacity: DomainError, naming `where`
    and what its parts are called, or BoundExceeded if the capacity is found by searching."""
    if needed > domain.capacity:
        if domain.found:
            raise BoundExceeded(domain.found, 0, needed)
        what = f"{needed} {parts} exceed the capacity {domain.capacity}"
        raise DomainError(f"{where.lstrip('.')}: {what}")
    if domain.found and _observed and needed > _observed[-1].get(domain.found.name, 0):
        _observed[-1][domain.found.name] = needed


_observed: list[dict[str, int]] = []


@contextmanager
def observed() -> Generator[dict[str, int]]:
    """While open, gives the most parts that collections have had, by the names of places whose
    capacity is found by searching."""
    _observed.append({})
    try:
        yield _observed[-1]
    finally:
        _observed.pop()


class Map(dict[Any, Any]):
    """A total map: it always has every key of its domain, in the domain's order."""

    __slots__ = ("domain",)

    def __init__(
        self, domain: _OfMaps, items: Iterable[tuple[Any, Any]] | Mapping[Any, Any]
    ) -> None:
        super().__init__(items)
        self.domain = domain

    def __setitem__(self, key: Any, value: Any) -> None:
        if key not in self:
            raise DomainError(f"{key!r} is not a key of {self.domain}")
        super().__setitem__(key, self.domain.value.store(value, f"[{key}]"))
        Writes.count = Writes.next()

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride] - a whole state is hashed
        return hash(tuple(self.values()))

    def __delitem__(self, key: Any) -> None:
        _refuse("deleting a key: a map is total", "store a value that means absent, such as None")

    pop = popitem = clear = setdefault = update = __ior__ = _refused(
        "this on a map: it is total", "assign to its keys one at a time"
    )


class SparseMap(Map):
    """A map with at most `domain.capacity` keys, in their domain's order."""

    __slots__ = ()
    domain: _OfSparseMaps

    def __setitem__(self, key: Any, value: Any) -> None:
        domain = self.domain
        stored = domain.value.store(value, f"[{key}]")
        Writes.count = Writes.next()
        if key in self:
            super(Map, self).__setitem__(key, stored)
            return
        check_room(domain, len(self) + 1, "keys", "the map")
        held = domain.of([*self.items(), (domain.key.store(key, "key"), stored)])
        super(Map, self).clear()
        super(Map, self).update(held)

    def __delitem__(self, key: Any) -> None:
        Writes.count = Writes.next()
        super(Map, self).__delitem__(key)

    def clear(self) -> None:
        Writes.count = Writes.next()
        super(Map, self).clear()

    pop = popitem = setdefault = update = __ior__ = _refused(
        "this on a map with a capacity", "assign to its keys, and delete them, one at a time"
    )


class Seq(list[Any]):
    """A sequence of at most `domain.capacity` elements, such as a log."""

    __slots__ = ("domain",)

    def __init__(self, domain: _OfSeqs, items: Iterable[Any]) -> None:
        super().__init__(items)
        self.domain = domain

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride] - a whole state is hashed
        return hash(tuple(self))

    def _room(self, more: int) -> None:
        Writes.count = Writes.next()
        check_room(self.domain, len(self) + more, "elements", "the list")

    def append(self, value: Any) -> None:
        self._room(1)
        super().append(self.domain.element.store(value, f"[{len(self)}]"))

    def extend(self, values: Iterable[Any]) -> None:
        for value in list(values):
            self.append(value)

    def insert(self, index: SupportsIndex, value: Any) -> None:
        self._room(1)
        super().insert(index, self.domain.element.store(value, f"[{index}]"))

    def __iadd__(self, values: Iterable[Any]) -> Seq:
        self.extend(values)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            _refuse("assigning to a slice", "build the new list and store it whole")
        Writes.count = Writes.next()
        super().__setitem__(index, self.domain.element.store(value, f"[{index}]"))

    def __delitem__(self, index: Any) -> None:
        Writes.count = Writes.next()
        super().__delitem__(index)

    def pop(self, index: SupportsIndex = -1) -> Any:
        Writes.count = Writes.next()
        return super().pop(index)

    def clear(self) -> None:
        Writes.count = Writes.next()
        super().clear()

    reverse = sort = remove = _refused("reverse in place", "build the new list and store it whole")


def _fixed(*args: Any, **options: Any) -> NoReturn:
    raise SpecError(FIXED, hint="make a new value")


FIXED = "this is a member of a set, a key, an argument or a constant: it cannot change"


class FixedMap(Map):
    """A map that cannot change."""

    __slots__ = ()
    __setitem__ = _fixed


class FixedSeq(Seq):
    """A sequence that cannot change."""

    __slots__ = ()
    append = extend = insert = pop = clear = _fixed
    __iadd__ = __setitem__ = __delitem__ = _fixed
