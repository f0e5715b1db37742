"""Symbolic values: what a term is worth as a function of the leaves of a state.

Scalars are one node (an int itself, or the index of a name); composites are trees of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from specmodel.domains import Domain
from specmodel.ir.symbolic.graph import Node


class Value:
    """A symbolic value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Nothing(Value):
    """An element of a list that is always empty: whoever wants it has failed before."""


@dataclass(frozen=True, slots=True)
class Scalar(Value):
    """An int, a bool (a boolean node), or the index of an enum member or scalar."""

    node: Node


@dataclass(frozen=True, slots=True)
class Option(Value):
    """Present or not; `held` means nothing where it is absent."""

    present: Node
    held: Value


@dataclass(frozen=True, slots=True)
class OptionalCode(Value):
    """An optional name as one code: 0 for None, else 1 + index."""

    node: Node


@dataclass(frozen=True, slots=True)
class Composite(Value):
    """The fields of a struct in order, or what a map has by the index of each key."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SymbolicUnion(Value):
    """The number of an alternative, and the codes of its leaves; those it does not fill are 0."""

    tag: Node
    codes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SymbolicSet(Value):
    """Masks of SET_CHUNK elements each, by index in the element domain."""

    element: Domain
    masks: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SymbolicSeq(Value):
    """A length, and elements (`parts`) of which the first `length` count.

    `blank` is the domain whose packed form has zeros for the elements past the length, if any.
    """

    length: Node
    parts: tuple[Value, ...]
    blank: Domain | None


def first(entry: Value) -> Value:
    """The key of an entry that is a pair."""
    assert isinstance(entry, Composite)
    return entry.parts[0]


def second(entry: Value) -> Value:
    """What the key of an entry leads to."""
    assert isinstance(entry, Composite)
    return entry.parts[1]
