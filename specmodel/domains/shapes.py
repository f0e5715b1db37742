"""The shape of a Python value: `isinstance` leaves a type checker without the type of elements."""

from __future__ import annotations

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
