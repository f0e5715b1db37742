"""A behaviour of a design: states and the steps between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from specmodel.dataclass import dataclass


@dataclass(frozen=True)
class Step:
    """One action with its binding, arguments by parameter name in order."""

    action: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.action}({inner})"


@dataclass(frozen=True)
class Trace:
    """States of a design's state type and the steps between them: `len(states) == len(steps) + 1`.

    `loop` is the index of the state to which the last state returns, for an infinite behaviour, and
    `back` the step that returns. If the last state itself has this index, there is no such step:
    the behaviour stays there for ever.
    """

    states: tuple[Any, ...]
    steps: tuple[Step, ...]
    loop: int | None = None
    back: Step | None = None

    @property
    def length(self) -> int:
        """States in the trace, the initial one included (as TLC counts)."""
        return len(self.states)

    def extended(self, step: Step, state: Any) -> Trace:
        """This behaviour with one more step, to a state."""
        return Trace((*self.states, state), (*self.steps, step))
