"""The domains of atoms: truths, ints, members of enums and of scalar sets."""

from __future__ import annotations

import enum
from dataclasses import field
from functools import cached_property
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains.domain import AtomDomain, NamedDomain
from specmodel.errors import BoundExceeded, FoundPlace


@dataclass(frozen=True)
class BoolDomain(AtomDomain):
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
class IntDomain(AtomDomain):
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
