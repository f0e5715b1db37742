"""Types of TLA+ as domains of a state: what all have in common, and the scalar ones."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import (
    BoolDomain,
    IntDomain,
)
from specmodel.domains.domain import NamedDomain
from specmodel.ir.symbolic import values as symbolic
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.values import (
    CasesOf,
    ChoiceOf,
    NumberOf,
    StateValue,
    TruthOf,
    choice_of,
    number_of,
    truth_of,
)
from specmodel.tla.values import (
    TRUE,
    Boolean,
    Value,
    text_of,
    truth,
)


class OutsideType(Exception):  # noqa: N818 - the type is widened
    """A value is outside of the type of its place."""


@dataclass(frozen=True)
class NamesDomain(NamedDomain):
    """Known values of TLA+ as the members of a domain."""

    members: tuple[Any, ...]

    @cached_property
    def cls(self) -> type[Any]:  # type: ignore[override]
        return object

    @cached_property
    def places(self) -> dict[Any, int]:
        """The place of each member."""
        return {member: place for place, member in enumerate(self.members)}

    def index(self, value: Any) -> int:
        return self.places[value]

    def store(self, value: Any, where: str) -> Any:
        if value in self.places:
            return value
        raise self._wrong(value, where)

    def __str__(self) -> str:
        return "{" + ", ".join(map(text_of, self.members)) + "}"


class StoredType:
    """A type with its domain: `held` and `value` turn values into the domain's and back.

    `written` makes a symbolic value of the domain, with the condition that it fits; `read` the
    value of one.
    """

    domain: Any
    """The domain of the values that a state has."""

    def held(self, value: Value) -> Any:
        """A value as the domain has it. Raises OutsideType."""
        raise NotImplementedError

    def value(self, held: Any) -> Value:
        """The value that the domain has."""
        raise NotImplementedError

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        """A value as a symbolic value of the domain, and the condition that it fits."""
        raise NotImplementedError

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        """The value of a symbolic value of the domain."""
        raise NotImplementedError


class StoredTruth(StoredType):
    """TRUE or FALSE."""

    domain = BoolDomain()

    def held(self, value: Value) -> Any:
        if not isinstance(value, Boolean):
            raise OutsideType
        return value is TRUE

    def value(self, held: Any) -> Value:
        return truth(held)

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        value = writer.open(value)
        if isinstance(value, TruthOf):
            return writer.graph.true, symbolic.Scalar(value.node)
        return writer.by_arms(self, value) if isinstance(value, CasesOf) else writer.no(self)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.Scalar)
        return truth_of(held.node)


class StoredNumber(StoredType):
    """An integer."""

    def __init__(self, low: int, high: int) -> None:
        self.domain = IntDomain(low, high)
        self.low, self.high = low, high

    def held(self, value: Value) -> Any:
        if value.__class__ is not int or not self.low <= value <= self.high:
            raise OutsideType
        return value

    def value(self, held: Any) -> Value:
        return held

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        if isinstance(value, ChoiceOf):
            value = writer.split(value)
        if isinstance(value, NumberOf):
            node = value.node
            inside = g.both(g.le(g.int(self.low), node), g.le(node, g.int(self.high)))
            return inside, symbolic.Scalar(node)
        return writer.by_arms(self, value) if isinstance(value, CasesOf) else writer.no(self)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.Scalar)
        return number_of(held.node)


class StoredName(StoredType):
    """One of some known values."""

    def __init__(self, options: tuple[Value, ...]) -> None:
        self.options = options
        self.names = NamesDomain(options)
        self.domain = self.names

    def held(self, value: Value) -> Any:
        if value not in self.names.places:
            raise OutsideType
        return value

    def value(self, held: Any) -> Value:
        return held

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        found: list[tuple[Node, Value]] = []
        if isinstance(value, ChoiceOf):
            if value.options == self.options:
                return g.true, symbolic.Scalar(value.node)
            found = [(g.eq(value.node, g.int(i)), v) for i, v in enumerate(value.options)]
        elif isinstance(value, NumberOf):
            numbers = [v for v in self.options if v.__class__ is int]
            found = [(g.eq(value.node, g.int(v)), v) for v in numbers]
        elif isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        known = [(c, self.names.places[v]) for c, v in found if v in self.names.places]
        if not known:
            return writer.no(self)
        node = g.int(known[-1][1])
        for condition, place in reversed(known[:-1]):
            node = g.select(condition, g.int(place), node)
        return g.either(*(c for c, _ in known)), symbolic.Scalar(node)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.Scalar)
        return choice_of(self.options, held.node)


def bounded(graph: Graph, node: Node, size: int) -> Node:
    """A leaf within its bits: that of a value that does not fit is never read."""
    if node.low >= 0 and node.high < 1 << (size - 1).bit_length():
        return node
    inside = graph.both(graph.le(graph.int(0), node), graph.lt(node, graph.int(size)))
    return graph.select(inside, node, graph.int(0))
