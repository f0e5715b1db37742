"""Unions: a value of one of several classes, such as the kinds of message of a protocol."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains.composites import StructDomain
from specmodel.domains.domain import Domain, NamedDomain
from specmodel.errors import SpecError

Alternative = StructDomain | NamedDomain
"""An alternative of a union: a domain whose values have a class of their own."""


@dataclass(frozen=True)
class UnionDomain(Domain):
    """Values of one of the alternatives; a value's class gives its alternative.

    The alternatives are in the order of their names, so that `A | B` is `B | A`, as in Python, and
    so that a set under CPython can order its elements without their domain.
    """

    alternatives: tuple[Alternative, ...]

    @classmethod
    def of(cls, alternatives: Iterable[Alternative]) -> Alternative | UnionDomain:
        """The union of alternatives; a single alternative is returned as it is."""
        ordered = sorted(dict.fromkeys(alternatives), key=str)
        return ordered[0] if len(ordered) == 1 else cls(tuple(ordered))

    @cached_property
    def size(self) -> int:
        return sum(part.size for part in self.alternatives)

    @cached_property
    def immutable(self) -> bool:
        return all(part.immutable for part in self.alternatives)

    @cached_property
    def parts(self) -> tuple[Domain, ...]:
        return self.alternatives

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The index of the first value of each alternative."""
        sizes = [part.size for part in self.alternatives]
        return tuple(sum(sizes[:i]) for i in range(len(sizes)))

    @cached_property
    def _tags(self) -> dict[type[Any], int]:
        tags: dict[type[Any], int] = {}
        for tag, part in enumerate(self.alternatives):
            tags[part.cls] = tag
            tags[getattr(part.cls, "__fixed__", part.cls)] = tag
        return tags

    def tag(self, value: Any) -> int:
        """The number of a value's alternative. Raises KeyError for any other value."""
        return self._tags[value.__class__]

    def index(self, value: Any) -> int:
        tag = self.tag(value)
        return self.starts[tag] + self.alternatives[tag].index(value)

    def at(self, index: int) -> Any:
        for part in self.alternatives:
            if index < part.size:
                return part.at(index)
            index -= part.size
        raise IndexError(index)

    def store(self, value: Any, where: str) -> Any:
        tag = self._tags.get(value.__class__)
        if tag is None:
            raise self._wrong(value, where)
        return self.alternatives[tag].store(value, where)

    def copy(self, value: Any) -> Any:
        return self.alternatives[self.tag(value)].copy(value)

    def __str__(self) -> str:
        return " | ".join(map(str, self.alternatives))


def alternatives_of(domain: Domain) -> tuple[Alternative, ...]:
    """The alternatives of a union, or a domain that can be an alternative; else none."""
    if isinstance(domain, UnionDomain):
        return domain.alternatives
    return (domain,) if isinstance(domain, StructDomain | NamedDomain) else ()


def refuse_alike(alternatives: Iterable[Alternative], where: str) -> None:
    """Raises SpecError if the class of a value does not give its alternative."""
    known = list(dict.fromkeys(alternatives))
    for one in known:
        if not isinstance(one, StructDomain) and one.cls.__eq__ is not object.__eq__:
            raise SpecError(
                f"{where}: members of {one} equal values of other classes",
                hint="make it a plain Enum",
            )
    for i, one in enumerate(known):
        for other in known[i + 1 :]:
            if str(one) == str(other):
                raise SpecError(
                    f"{where}: two alternatives are called {one}", hint="rename one of the classes"
                )
            for base, derived in ((one, other), (other, one)):
                if issubclass(derived.cls, base.cls):
                    raise SpecError(
                        f"{where}: {derived} extends {base}, so that isinstance does not tell "
                        "which of them a value is of",
                        hint="let both extend a struct that is no alternative",
                    )
