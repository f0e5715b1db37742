"""Shape and text of a value: `isinstance` leaves a type checker without the type of elements."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeGuard


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a value has keys."""
    return isinstance(value, Mapping)


def is_set(value: object) -> TypeGuard[AbstractSet[Any]]:
    """Whether a value has elements and no order."""
    return isinstance(value, AbstractSet)


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value has elements in order; text has not."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def written(value: Any) -> str:
    """A value inside a path or an expression: names are given without their class."""
    return value.name if isinstance(value, enum.Enum) else repr(value)
