"""The results of symbolic execution: conditions on the leaves of a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.replacing import GivenParameters


@dataclass(frozen=True)
class GuardConjunct:
    """A conjunct of a guard: its condition, which is true off its path, and its source."""

    node: Node
    span: Span | None


@dataclass(frozen=True)
class Failure:
    """A condition under which the spec fails. `guards` is the number of guards before it."""

    node: Node
    message: str
    span: Span | None
    guards: int


@dataclass(frozen=True)
class Effect:
    """An action with one binding: its guards, failures, and all leaves of the next state.

    A leaf that it does not change is the same node as before. The spec fails where the node of a
    failure is true. A failure with fewer `guards` than the action also counts where the action is
    disabled.
    """

    guards: tuple[GuardConjunct, ...]
    failures: tuple[Failure, ...]
    leaves: tuple[Node, ...]

    def given(self, graph: Graph, parameters: Sequence[int]) -> Effect:
        """The effect with numbers in the place of the parameters of a loop."""
        if not parameters:
            return self
        conditions = [each.node for each in (*self.guards, *self.failures)]
        rest = iter(GivenParameters(graph, parameters)([*conditions, *self.leaves]))
        guards = tuple(replace(guard, node=next(rest)) for guard in self.guards)
        failures = tuple(replace(failure, node=next(rest)) for failure in self.failures)
        return Effect(guards, failures, tuple(rest))


@dataclass(frozen=True)
class Judgement:
    """A property: the condition that it is true, and the conditions that its evaluation fails."""

    node: Node
    failures: tuple[Failure, ...]
