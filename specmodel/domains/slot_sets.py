"""Sets with a capacity: at most so many members, out of a domain of any size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from specmodel.domains.kinds import SeqDomain, SetDomain
from specmodel.domains.sets import ValueSet, frozen
from specmodel.errors import DomainError


@dataclass(frozen=True)
class SlotSetDomain(SetDomain):
    """Sets of at most `capacity` values of the element domain, smaller ones first.

    A state keeps the members in order in as many slots. `size` and `at` are those of lists: values
    of this domain are not to be gone through, which `lang` sees to.
    """

    capacity: int

    @cached_property
    def slots(self) -> SeqDomain:
        """The lists that the members in order are one of."""
        return SeqDomain(self.element, self.capacity)

    @cached_property
    def size(self) -> int:
        return self.slots.size

    def index(self, value: Any) -> int:
        return self.slots.index(value)

    def at(self, index: int) -> ValueSet:
        return self.store({frozen(held) for held in self.slots.at(index)}, "")

    def store(self, value: Any, where: str) -> ValueSet:
        stored = super().store(value, where)
        if len(stored) > self.capacity:
            raise DomainError(
                f"{where.lstrip('.')}: {len(stored)} members exceed the capacity {self.capacity}"
            )
        return stored

    def __str__(self) -> str:
        return f"Set[{self.element}] up to {self.capacity}"
