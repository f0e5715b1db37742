"""Records: values with named, bounded fields. The state of a model is a record."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn, Self

from specmodel.domains.composites import StructDomain
from specmodel.domains.containers import FIXED, Writes
from specmodel.domains.domain import Domain
from specmodel.errors import DomainError, Span, SpecError


class Record:
    """A value with fields. `declare` gives a class of records its fields.

    Every store is checked against the field's domain (DomainError names the field) and stores a
    private copy: records have value semantics.
    """

    __domain__: ClassVar[StructDomain]
    __match_args__: ClassVar[tuple[str, ...]] = ()
    __fixed__: ClassVar[type[Record]]
    """The class of the frozen values of this class."""

    def __init_subclass__(cls, *, fixed: bool = False) -> None:
        if fixed:
            cls.__setattr__ = _refused
            cls.__fixed__ = cls

    @classmethod
    def declare(cls, fields: Mapping[str, Domain]) -> StructDomain:
        """Gives the class its fields; returns its domain."""
        cls.__domain__ = StructDomain(cls, cls.__name__, dict(fields))
        cls.__match_args__ = tuple(fields)
        cls.__fixed__ = types.new_class(cls.__name__, (cls,), {"fixed": True})
        return cls.__domain__

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        fields = self.__domain__.fields
        if len(args) > len(fields):
            raise SpecError(
                f"{type(self).__name__} has {len(fields)} fields, {len(args)} were given",
                hint=f"they are {', '.join(fields)}",
            )
        given = dict(zip(fields, args, strict=False)) | kwargs
        for name in fields:
            if name not in given:
                default = getattr(type(self), name, _MISSING)
                if default is _MISSING:
                    message = f"{type(self).__name__} needs a value for its field {name}"
                    raise SpecError(message, hint=fields[name].example)
                given[name] = default
        for name in [*fields, *(name for name in given if name not in fields)]:
            setattr(self, name, given[name])

    def __setattr__(self, name: str, value: Any) -> None:
        domain = self.__domain__.fields.get(name)
        if domain is None:
            raise DomainError(f"{type(self).__name__} has no field {name}")
        self.__dict__[name] = domain.store(value, f"{type(self).__name__}.{name}")
        Writes.count = Writes.next()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Record)
            and other.__domain__ is self.__domain__
            and self.__dict__ == other.__dict__
        )

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __copy__(self) -> Self:
        return self.__domain__.copy(self)

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({inner})"


_MISSING = object()


def _refused(self: Record, name: str, value: Any) -> NoReturn:
    raise SpecError(FIXED, hint="make a new value")


def own_method(cls: type, method: str, place: Span | None = None) -> SpecError:
    """The error for a class that defines how its values are made, compared or read."""
    what = f"{cls.__name__} has its own {method}, which is not part of the spec language"
    return SpecError(what, place, "leave it out, and write a function at the top of the module")
