"""All values of a type, and all subsets of a collection, as sets: for quorums and messages."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import combinations
from math import comb
from typing import Any, TypeVar

from specmodel.domains import ValueSet
from specmodel.domains.sets import member, rank
from specmodel.errors import SpecError
from specmodel.lang.annotations import domain_of, enumerated

T = TypeVar("T")

MOST_VALUES = 1 << 12
"""The most values or subsets that a spec can have as one set."""


def subsets(members: Iterable[T], size: int | None = None) -> AbstractSet[frozenset[T]]:
    """All subsets of a scalar set, an enum or a set, or all subsets of one size.

        QUORUMS = {q for q in subsets(Acceptor) if 2 * len(q) > len(Acceptor)}

    Raises SpecError if there are more than 4,096.
    """
    every = list(members)
    sizes = range(len(every) + 1) if size is None else [size]
    _refuse_many(sum(comb(len(every), n) for n in sizes), "subsets")
    found = [some for n in sizes for some in combinations(every, n)]
    return _ordered(_ordered(some) for some in found)


def values(of: type[T]) -> AbstractSet[T]:
    """All values of a struct, a union, a scalar set or an enum.

        MESSAGES = values(Prepare | Promise)

    Raises SpecError if there are more than 4,096.
    """
    domain = enumerated(domain_of(of, "values"), "values")
    _refuse_many(domain.size, f"values of {domain}")
    return _ordered(domain.values())


def _ordered(members: Iterable[Any]) -> frozenset[Any]:
    return ValueSet.of(tuple(sorted(map(member, members), key=rank)))


def _refuse_many(count: int, what: str) -> None:
    if count > MOST_VALUES:
        hint = f"a set of them has at most {MOST_VALUES:,}: make those that are needed"
        raise SpecError(f"there are {count:,} {what}", hint=hint)
