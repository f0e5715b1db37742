"""Scalar sets: the actors of a protocol, such as its replicas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self, TypeVar

from specmodel.domains.atoms import ScalarDomain
from specmodel.domains.records import own_method
from specmodel.errors import SpecError

MOST_MEMBERS = 1 << 16
"""The most members of a scalar set: a parameter over it gives an action as many bindings."""

T = TypeVar("T")


def _members(scalar_set: Any) -> tuple[Any, ...]:
    return scalar_set.__domain__.members


class _ScalarSetType(type):
    """The metaclass that gives `for r in Replica` and `len(Replica)` a meaning."""

    def __iter__(cls: type[T]) -> Iterator[T]:
        return iter(_members(cls))

    def __len__(cls) -> int:
        return len(_members(cls))

    def __bool__(cls) -> bool:
        return True


class ScalarSet(metaclass=_ScalarSetType):
    """A finite set of named members without order or structure.

        class Replica(ScalarSet, size=replicas, prefix="r", symmetric=True):
            "A broker that holds a copy of the partition."

    The members are r1, r2, ...; a spec may compare them only for equality. `symmetric` declares
    that they are interchangeable: no action or property treats one of them differently.
    """

    __domain__: ClassVar[ScalarDomain]
    position: int
    _name: str

    def __init_subclass__(
        cls, *, size: int = -1, prefix: str = "", symmetric: bool = False
    ) -> None:
        if type(size) is not int or not 0 <= size <= MOST_MEMBERS:
            given = "no size" if size == -1 else f"size={size!r}"
            raise SpecError(
                f"{cls.__name__} has {given}: a scalar set has 0 to {MOST_MEMBERS:,} members",
                hint=f"write class {cls.__name__}(ScalarSet, size=3)",
            )
        for method in ("__eq__", "__ne__", "__hash__"):
            if getattr(cls, method) is not getattr(ScalarSet, method):
                raise own_method(cls, method)
        prefix = prefix or cls.__name__[0].lower()
        members: list[ScalarSet] = []
        for position in range(size):
            member = object.__new__(cls)
            object.__setattr__(member, "position", position)
            object.__setattr__(member, "_name", f"{prefix}{position + 1}")
            members.append(member)
        cls.__domain__ = ScalarDomain(cls, cls.__name__, tuple(members), symmetric)

    @classmethod
    def nth(cls, position: int) -> Self:
        """The member at a position, 0 for the first. A spec that uses it is not symmetric."""
        return cls.__domain__.members[position]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} is a name: it has no field {name} to set")

    def __hash__(self) -> int:
        return self.position

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return self._name
