"""Symbolic values: the value of a term as a function of the leaves of a state.

A scalar is one node (the int, or the index of a name); a composite is a tree of them.
"""

from __future__ import annotations

from specmodel.dataclass import dataclass
from specmodel.domains import Domain
from specmodel.ir.symbolic.graph import Graph, Node


class Value:
    """A symbolic value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Nothing(Value):
    """An element of a list that is always empty: every access to it has failed before."""


@dataclass(frozen=True, slots=True)
class Scalar(Value):
    """An int, a bool (a boolean node), or the index of an enum member or scalar."""

    node: Node


@dataclass(frozen=True, slots=True)
class Option(Value):
    """An optional; `held` is any value where `present` is false."""

    present: Node
    held: Value


@dataclass(frozen=True, slots=True)
class OptionalCode(Value):
    """An optional name as one code: 0 for None, else 1 + index."""

    node: Node


@dataclass(frozen=True, slots=True)
class Composite(Value):
    """The fields of a struct in order, or the values of a map in the order of its keys."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SymbolicUnion(Value):
    """The number of an alternative, and the codes of its leaves; unused leaves are 0."""

    tag: Node
    codes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SymbolicSet(Value):
    """A set as masks: each has SET_CHUNK elements, by their index in the element domain."""

    element: Domain
    masks: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SymbolicSeq(Value):
    """A sequence: the first `length` of `parts`.

    `blank` is the domain whose packed form has zeros for the elements past the length, if any. The
    rest is known of collections that are kept as slots. A `stored` one is as the state has it: who
    has the key of one of its slots has read it there. `copies` is how many members a bag has, all
    copies counted, if nobody has to count them; `sum` are two bags that it has the copies of.
    """

    length: Node
    parts: tuple[Value, ...]
    blank: Domain | None
    stored: bool = False
    copies: Node | None = None
    sum: tuple[SymbolicSeq, SymbolicSeq] | None = None


def first(entry: Value) -> Value:
    """The key of an entry of a map with a capacity, or a bag."""
    assert isinstance(entry, Composite)
    return entry.parts[0]


def second(entry: Value) -> Value:
    """The value of an entry of a map with a capacity, or the copies of a bag's entry."""
    assert isinstance(entry, Composite)
    return entry.parts[1]


def members(held: SymbolicSeq) -> SymbolicSeq:
    """The set of the keys of a collection whose entries are pairs."""
    return SymbolicSeq(held.length, tuple(map(first, held.parts)), None, held.stored)


def copies_of(entry: Value) -> Node:
    """The copies of an entry of a bag, as a node."""
    held = second(entry)
    assert isinstance(held, Scalar)
    return held.node


def total(graph: Graph, held: SymbolicSeq) -> Node:
    """How many members a bag has, all copies counted."""
    if held.copies is not None:
        return held.copies
    g, found = graph, graph.int(0)
    for i, part in enumerate(held.parts):
        there = g.lt(g.int(i), held.length)
        found = g.add(found, g.select(there, copies_of(part), g.int(0)))
    return found
