"""The steps of a design from states that a log may be in, computed once for each state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.results import SpecFailure

Steps = Sequence[tuple[int, Any]]
"""Numbers of bindings, and the keys of the states that they lead to."""


class KnownSteps(ABC):
    """States by keys, and their steps. Constraints on states are of no account here."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self._steps: dict[Any, Steps] = {}
        self._states: dict[Any, Any] = {}

    def initial(self) -> Iterator[Any]:
        """The keys of the initial states."""
        for state in self.interpreter.initial():
            yield self.key(state)

    def steps(self, key: Any) -> Steps:
        """The steps from a state that was prepared."""
        return self._steps[key]

    def prepare(self, keys: Collection[Any]) -> None:
        """Computes the steps of states that are new."""
        fresh = [key for key in keys if key not in self._steps]
        if fresh:
            for key, steps in zip(fresh, self._computed(fresh), strict=True):
                self._steps[key] = steps

    def state(self, key: Any) -> Any:
        """The state of a key."""
        if key not in self._states:
            self._states[key] = self._state(key)
        return self._states[key]

    @abstractmethod
    def key(self, state: Any) -> Any:
        """What is equal for equal states."""

    @abstractmethod
    def _state(self, key: Any) -> Any: ...

    @abstractmethod
    def _computed(self, keys: Sequence[Any]) -> Sequence[Steps]:
        """The steps of some states, in their order. A step that fails is none."""


class InterpretedSteps(KnownSteps):
    """Steps by the reference: CPython, or the evaluator of TLA+."""

    def key(self, state: Any) -> Any:
        return self.interpreter.key(state)

    def _state(self, key: Any) -> Any:
        return self.interpreter.keyed(key)

    def _computed(self, keys: Sequence[Any]) -> Sequence[Steps]:
        interpreter = self.interpreter
        return [
            [
                (number, interpreter.key(after))
                for number, after in interpreter.outcomes(self.state(key))
                if not isinstance(after, SpecFailure)
            ]
            for key in keys
        ]


class KernelSteps(KnownSteps):
    """Steps by the kernel of the native engine. Raises SpecError where there can be none."""

    def __init__(self, interpreter: Interpreter) -> None:
        super().__init__(interpreter)
        # The kernel's modules take a while to import, and small logs need none.
        from specmodel.kernel.expanding import BINDING
        from specmodel.kernel.graphs import GraphKernel

        self.kernel = GraphKernel(interpreter.spec, (), failing=True)
        self.layout = self.kernel.program.layout
        self.context = self.kernel.context()
        self.shift = BINDING

    def key(self, state: Any) -> Any:
        return tuple(self.layout.pack(state))

    def _state(self, key: Any) -> Any:
        return self.layout.unpack(key)

    def _computed(self, keys: Sequence[Any]) -> Sequence[Steps]:
        found: list[list[tuple[int, Any]]] = [[] for _ in keys]
        kernel = self.kernel
        rows = kernel.steps(kernel.edges, keys, self.context, self.layout.words + 1)
        for *after, origin in rows:
            place = origin & (1 << self.shift) - 1
            found[place].append((origin >> self.shift, tuple(after)))
        return found
