"""The results of symbolic execution: conditions on the leaves of a state."""

from __future__ import annotations

from dataclasses import dataclass

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node


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


@dataclass(frozen=True)
class Judgement:
    """A property: the condition that it is true, and the conditions that its evaluation fails."""

    node: Node
    failures: tuple[Failure, ...]
