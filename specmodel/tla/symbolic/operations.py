"""The interface by which operations on values use each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from specmodel.errors import Span
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.symbolic.path import EvaluationPath
from specmodel.tla.symbolic.values import (
    CasesOf,
    ChoiceOf,
    MembersOf,
    RuleSet,
    StateValue,
)
from specmodel.tla.values import Value

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
