"""The shape of a value, as a type guard that gives the elements a type, and its text."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeGuard


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a value is a mapping."""
    return isinstance(value, Mapping)


def is_set(value: object) -> TypeGuard[AbstractSet[Any]]:
    """Whether a value is a set."""
    return isinstance(value, AbstractSet)


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Whether a value is a tuple, not a named one."""
    return type(value) is tuple


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a sequence other than text."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def written(value: Any) -> str:
    """A value's text in a path or an expression; members of an enum without their class."""
    return value.name if isinstance(value, enum.Enum) else repr(value)
