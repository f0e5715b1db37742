"""The interface by which operations on values use each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.tla.symbolic.path import EvaluationPath
from specmodel.tla.symbolic.values import (
    BySlot,
    CasesOf,
    ChoiceOf,
    KnownValue,
    MembersOf,
    RuleSet,
    StateValue,
)
from specmodel.tla.values import Value


@dataclass(frozen=True)
class ChosenMember:
    """A member that was taken by the number of its slot, which is a parameter."""

    value: StateValue
    slot: Node
    members: tuple[StateValue, ...]
    """The members in all slots."""

    def same_as(self, other: StateValue, graph: Graph) -> Node | None:
        """Whether it is the member in another slot; None of any other value."""
        for place, member in enumerate(self.members):
            if member is other:
                return graph.eq(self.slot, graph.int(place))
        return None


Made = Callable[[], StateValue]
Arms = Sequence[tuple[Node, StateValue]]

NOTHING = CasesOf(())
"""The value of an expression that has failed."""


class ValueOperations:
    """Operations on values; `path` has the conditions under which they are made."""

    def __init__(self, path: EvaluationPath) -> None:
        self.path = path
        self.graph = path.graph
        self.domains = Algebra(path.graph)
        self.chosen: dict[int, ChosenMember] = {}
        """The members that were taken by their slots, by their identity."""
        self.origins: dict[int, tuple[Any, Any, StateValue]] = {}
        """The stored types that have read values, and from what, by the values' identity."""

    def share(self, other: ValueOperations) -> None:
        """Knows the values that another has read and taken."""
        self.domains, self.chosen, self.origins = other.domains, other.chosen, other.origins

    def remembered(self, stored: Any, held: Any, value: StateValue) -> StateValue:
        """A value that a stored type has read from a symbolic value of its domain."""
        if not isinstance(value, KnownValue):
            self.origins[id(value)] = stored, held, value
        return value

    def origin(self, stored: Any, value: StateValue) -> tuple[Node, Any] | None:
        """What a stored type has read a value from, which fits; None if it has not read it."""
        known, held, _ = self.origins.get(id(value), (None, None, value))
        return (self.graph.true, held) if known is stored else None

    def member_at(self, held: BySlot, slot: Node) -> tuple[Node, StateValue]:
        """The member in a slot, with the condition that it is one."""
        there, value = held.at(slot)
        self.chosen[id(value)] = ChosenMember(value, slot, held.members)
        return there, value

    def slot_in(self, value: StateValue, held: BySlot | None) -> Node | None:
        """The number of the slot by which a value was taken from a set; None for another value."""
        chosen = self.chosen.get(id(value))
        if chosen is None or held is None or len(chosen.members) != len(held.members):
            return None
        return chosen.slot if all(map(is_, chosen.members, held.members)) else None

    def same_slot(self, a: StateValue, b: StateValue) -> Node | None:
        """Whether two members lie in one slot; None if neither was taken by its slot."""
        one, two = self.chosen.get(id(a)), self.chosen.get(id(b))
        if one and two and len(one.members) == len(two.members):
            if all(map(is_, one.members, two.members)):
                return self.graph.eq(one.slot, two.slot)
            return None
        if one:
            return one.same_as(b, self.graph)
        return two.same_as(a, self.graph) if two else None

    def open(self, value: StateValue) -> StateValue:
        """A value with its parts; a known set that is not computed is given by its rule."""
        raise NotImplementedError

    def select(self, condition: Node, a: StateValue, b: StateValue) -> StateValue:
        """`a` where a condition is true, else `b`."""
        raise NotImplementedError

    def equal(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        """Whether two values are equal; fails where TLC does not compare them."""
        raise NotImplementedError

    def member(self, value: StateValue, held: StateValue, span: Span | None) -> Node:
        """Whether a value is a member of a set."""
        raise NotImplementedError

    def members(self, value: StateValue) -> list[tuple[Node, StateValue]]:
        """The possible members of a set, no two of which are equal where both are members."""
        raise NotImplementedError

    def subset(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        """Whether a set is a subset of another."""
        raise NotImplementedError

    def known_rule(self, held: Value) -> RuleSet:
        """A known set that is not computed."""
        raise NotImplementedError

    def candidates(self, value: StateValue, span: Span | None) -> list[tuple[Node, Value]]:
        """The known values that a value may be, with their conditions. Raises NotCompiled."""
        raise NotImplementedError

    def merged(self, arms: Arms) -> StateValue:
        """The value of the arm whose condition is true; there is one, or nothing is read."""
        raise NotImplementedError

    def split(self, value: ChoiceOf) -> StateValue:
        """A choice, by the kinds of its options."""
        raise NotImplementedError

    def as_members(self, value: StateValue) -> MembersOf:
        """A set with its possible members."""
        return MembersOf(tuple(self.members(value)), True)
