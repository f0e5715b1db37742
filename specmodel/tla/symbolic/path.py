"""The conditions under which an expression is evaluated, and those under which it has no value."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from specmodel.errors import Span, SpecError
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.tla.values import EvaluationError


class NotCompiled(SpecError):  # noqa: N818 - says what was found
    """A construct that the evaluator follows, and the compiler does not."""


@dataclass
class EvaluationPath:
    """The conditions that hold where something is evaluated, and the failures so far."""

    graph: Graph
    conditions: list[Node] = field(default_factory=list[Node])
    failures: list[tuple[Node, str, Span | None]] = field(
        default_factory=list[tuple[Node, str, Span | None]]
    )
    span: Span | None = None
    """The place of what is evaluated."""
    _known: dict[tuple[int, ...], Node] = field(default_factory=dict[tuple[int, ...], Node])

    @contextmanager
    def assuming(self, *conditions: Node) -> Generator[None]:
        """While open, the conditions hold."""
        added = [c for c in conditions if not c.constant]
        self.conditions.extend(added)
        try:
            yield
        finally:
            del self.conditions[len(self.conditions) - len(added) :]

    def here(self, condition: Node) -> Node:
        """The conjunction of a condition and those that hold here."""
        if condition is self.graph.false:
            return condition
        key = (condition.id, *[c.id for c in self.conditions])
        found = self._known.get(key)
        if found is None:
            found = self.graph.both(*self.conditions, condition)
            if condition.op == "not" and found.op == "and" and _exhausted(found.args):
                found = self.graph.false
            self._known[key] = found
        return found

    def possible(self, condition: Node) -> bool:
        """Whether a condition may be true here."""
        return self.here(condition) is not self.graph.false

    def simplified(self, condition: Node) -> Node:
        """A condition, or the constant that it always is here."""
        if condition.constant:
            return condition
        if not self.possible(condition):
            return self.graph.false
        return condition if self.possible(self.graph.negate(condition)) else self.graph.true

    def fail(self, condition: Node, message: str, span: Span | None) -> None:
        """Notes that evaluation fails here if a condition is true."""
        node = self.here(condition)
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


def _exhausted(conditions: Sequence[Node]) -> bool:
    """Whether conditions say of a number that it has none of its values.

    The recursion that a number ends has an end here too.
    """
    left: dict[int, int] = {}
    seen: set[int] = set()
    for denied in (condition.args[0] for condition in conditions if condition.op == "not"):
        for part in denied.args if denied.op == "or" else (denied,):
            if part.op != "eq" or not part.args[1].constant or part.id in seen:
                continue
            seen.add(part.id)
            number = part.args[0]
            left[number.id] = values = left.get(number.id, number.high - number.low + 1) - 1
            if not values:
                return True
    return False
