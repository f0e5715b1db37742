"""The possible steps of a compiled module, and their numbers as the arguments of actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import product
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import Domain
from specmodel.domains.domain import NamedDomain
from specmodel.errors import Span
from specmodel.ir.symbolic.effects import Effect, Failure
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.symbolic.call_depths import CUT
from specmodel.tla.symbolic.concrete import Codes
from specmodel.tla.symbolic.sampling import DepthExceeded
from specmodel.tla.symbolic.values import KnownValue, StateValue
from specmodel.tla.values import text_of

Parameters = tuple[tuple[str, StateValue], ...]
"""The names and values of an action's arguments."""


@dataclass(frozen=True)
class FoundStep:
    """A possible step: its action and arguments, its conditions, and the next values.

    If it has `sizes`, it is a loop: a step for all values of parameters below these numbers.
    """

    action: str
    span: Span
    arguments: Parameters
    conditions: tuple[Node, ...]
    after: tuple[StateValue | None, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class PossibleStep:
    """A possible step: its action, its arguments, the effect, and whether the next values fit.

    With `sizes`, it is a loop over parameters.
    """

    action: str
    span: Span
    arguments: Parameters
    effect: Effect
    fits: Node
    sizes: tuple[int, ...] = ()

    @property
    def never(self) -> bool:
        """Whether it has no other purpose than its failures."""
        return any(guard.node.constant and not guard.node.value for guard in self.effect.guards)

    @property
    def cut(self) -> bool:
        """Whether it fails where an operator calls itself too often."""
        return any(failure.message == CUT for failure in self.effect.failures)

    def fails(self, codes: Codes) -> bool:
        """Whether its evaluation fails in a state."""
        return any(codes.number(failure.node) for failure in self.effect.failures)

    def enabled(self, codes: Codes) -> bool:
        """Whether its guards hold in a state."""
        return all(codes.number(guard.node) for guard in self.effect.guards)


def refuse_cut(failures: Iterable[Failure], codes: Codes) -> None:
    """Raises DepthExceeded for a failure on a state that only compiled code has."""
    for failure in failures:
        if failure.message == CUT and failure.span and codes.number(failure.node):
            raise DepthExceeded(failure.span)


@dataclass(frozen=True)
class StepDomain(NamedDomain):
    """The numbers of the possible steps of an action, as arguments."""

    members: tuple[Any, ...]

    def index(self, value: Any) -> int:
        return value.number

    def __str__(self) -> str:
        return "steps"


@dataclass(frozen=True)
class StepArgument:
    """The argument of an action: the number of its step. `text` are its known arguments.

    The step is a possible step, or within a loop that with some parameters.
    """

    number: int
    text: str = field(compare=False)
    step: int = field(compare=False)
    parameters: tuple[int, ...] = field(compare=False)

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class StepLoop:
    """In place of the argument of an action: a step with all values of its parameters."""

    step: int
    parameters: tuple[int, ...] = ()


def step_parameter(steps: Sequence[PossibleStep]) -> dict[str, Domain]:
    """The parameter that is the number of a step, named and written by the known arguments.

    There is none if the action has one step without arguments.
    """
    if len(steps) <= 1 and not any(step.arguments or step.sizes for step in steps):
        return {}
    names = {tuple(name for name, _ in step.arguments) for step in steps}
    title = ", ".join(next(iter(names))) if len(names) == 1 else ""
    texts: list[str] = []
    numbered: list[tuple[int, tuple[int, ...]]] = []
    for place, step in enumerate(steps):
        known = [text_of(v.value) for _, v in step.arguments if isinstance(v, KnownValue)]
        text = ", ".join(known) if title and len(known) == len(step.arguments) else ""
        for parameters in product(*map(range, step.sizes)):
            numbered.append((place, parameters))
            texts.append(text)
    counts = Counter(texts)
    members = tuple(
        StepArgument(n, text if text and counts[text] == 1 else f"{text}#{n + 1}", *place)
        for n, (text, place) in enumerate(zip(texts, numbered, strict=True))
    )
    return {title or "step": StepDomain(members)}
