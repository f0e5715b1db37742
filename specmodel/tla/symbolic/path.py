"""The conditions under which an expression is evaluated, and those under which it has no value."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field

from specmodel.dataclass import dataclass
from specmodel.errors import Span, SpecError
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.tla.symbolic.facts import PathFacts
from specmodel.tla.values import EvaluationError

PathFailure = tuple[Node, str, Span | None]
"""The condition of a failure, its message, and its place."""


class NotCompiled(SpecError):  # noqa: N818 - says what was found
    """A construct that the evaluator follows, and the compiler does not."""


@dataclass
class EvaluationPath:
    """The conditions that hold where something is evaluated, and the failures so far."""

    graph: Graph
    conditions: list[Node] = field(default_factory=list[Node])
    failures: list[PathFailure] = field(default_factory=list[PathFailure])
    span: Span | None = None
    """The place of what is evaluated."""
    _facts: PathFacts = field(default_factory=PathFacts)

    def assume(self, condition: Node) -> None:
        """A condition holds, until `forget`."""
        self.conditions.append(condition)

    def forget(self, first: int) -> None:
        """Only the first conditions hold."""
        del self.conditions[first:]
        while len(self._facts) > first:
            self._facts.pop()

    @contextmanager
    def holding(self, *conditions: Node) -> Generator[None]:
        """While open, the conditions hold."""
        first = len(self.conditions)
        self.conditions.extend(conditions)
        try:
            yield
        finally:
            self.forget(first)

    def assuming(self, *conditions: Node) -> AbstractContextManager[None]:
        """While open, those of the conditions hold that are not known beforehand."""
        return self.holding(*[c for c in conditions if not c.constant])

    def possible(self, condition: Node) -> bool:
        """Whether a condition may be true here."""
        facts = self._facts
        for each in self.conditions[len(facts) :]:
            facts.add(each)
        return facts.allow(condition)

    def simplified(self, condition: Node) -> Node:
        """A condition, or the constant that it always is here."""
        if condition.constant:
            return condition
        if not self.possible(condition):
            return self.graph.false
        return condition if self.possible(self.graph.negate(condition)) else self.graph.true

    def fail(self, condition: Node, message: str, span: Span | None) -> None:
        """Notes that evaluation fails here if a condition is true."""
        if not self.possible(condition):
            return
        node = self.graph.both(*self.conditions, condition)
        if node is not self.graph.false:
            self.failures.append((node, message, span or self.span))

    def spare(self, first: int, condition: Node) -> None:
        """What was noted after the first failures fails only where a condition is false."""
        denied = self.graph.negate(condition)
        self.failures[first:] = [
            (self.graph.both(node, denied), message, span)
            for node, message, span in self.failures[first:]
        ]

    def refuse(self, wrong: EvaluationError, span: Span | None = None) -> None:
        """Notes that evaluation always fails here."""
        self.fail(self.graph.true, wrong.message, wrong.span or span)


class NotedFailures:
    """The failures of a path from a number on, which may be noted again on a longer path."""

    def __init__(self, path: EvaluationPath, first: int) -> None:
        self._path = path
        self._there = slice(first, len(path.failures))
        self._failures = path.failures[first:]

    def note(self) -> None:
        """Notes those that are not noted already."""
        if self._path.failures[self._there] == self._failures:
            return
        for node, message, span in self._failures:
            self._path.fail(node, message, span)
