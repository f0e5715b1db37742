"""Bags under CPython: immutable collections with the number of copies of each member."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Generic, Self, TypeGuard, TypeVar

from specmodel.domains.sets import member, rank
from specmodel.domains.shapes import is_set

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")


class Bag(Generic[T_co]):
    """Members with the number of copies of each: an immutable value.

        network: Annotated[Bag[Message], Capacity(4)]
        s.network += {message}

    `len` counts all copies. A loop goes through the different members, in the order of their
    domain. Raises TypeError for members that cannot be hashed.
    """

    __slots__ = ("_counts", "_size")
    _counts: Mapping[Any, int]
    _size: int

    def __init__(self, members: Iterable[T_co] = ()) -> None:
        counts: dict[Any, int] = {}
        if is_bag(members):
            counts.update(members.items())
        else:
            for each in map(member, members):
                counts[each] = counts.get(each, 0) + 1
        self._keep(sorted(counts.items(), key=lambda entry: rank(entry[0])))

    @classmethod
    def of(cls, entries: Iterable[tuple[Any, int]]) -> Self:
        """The bag of frozen members with their counts, in the order of their domain."""
        made = cls.__new__(cls)
        made._keep(entries)
        return made

    def _keep(self, entries: Iterable[tuple[Any, int]]) -> None:
        self._counts = dict(entries)
        self._size = sum(self._counts.values())

    def items(self) -> Iterable[tuple[T_co, int]]:
        """The members and their counts, in order."""
        return self._counts.items()

    def __getitem__(self, member: object) -> int:
        return self._counts.get(member, 0)

    def __contains__(self, member: object) -> bool:
        return member in self._counts

    def __iter__(self) -> Iterator[T_co]:
        return iter(self._counts)

    def __len__(self) -> int:
        return self._size

    def __add__(self, other: Bag[S] | AbstractSet[S]) -> Bag[T_co | S]:
        return self._combined(other, 1)

    def __sub__(self, other: Bag[Any] | AbstractSet[Any]) -> Bag[T_co]:
        return self._combined(other, -1)

    def _combined(self, other: Bag[Any] | AbstractSet[Any], sign: int) -> Any:
        """The sum with another bag or set or, if `sign` is -1, the difference."""
        if is_set(other):
            other = Bag(other)
        if not is_bag(other):
            return NotImplemented
        counts = dict(self._counts)
        for each, count in other.items():
            counts[each] = counts.get(each, 0) + sign * count
        left = [(each, count) for each, count in counts.items() if count > 0]
        return Bag[Any].of(sorted(left, key=lambda entry: rank(entry[0])))

    def __eq__(self, other: object) -> bool:
        return self._counts == other._counts if is_bag(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._counts.items()))

    def __rank__(self) -> Any:
        """The key that sorts bags of one type in the order of their domain."""
        return (len(self._counts), *((rank(each), count) for each, count in self.items()))

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{each!r}: {count}" for each, count in self.items()) + "}"


def is_bag(value: object) -> TypeGuard[Bag[Any]]:
    """Whether a value is a bag."""
    return isinstance(value, Bag)
