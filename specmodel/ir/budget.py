"""Evaluation of a user's expression within limits of steps and time.

The limit of steps is deterministic: in one state, an expression has a value always or never. Each
term is a step, and so is each element of a collection that is a term's value. The limit of time is
for steps that take long by themselves.
"""

from __future__ import annotations

import time
from collections.abc import Sequence, Sized
from typing import Any, cast

from specmodel.ir import nodes as ir
from specmodel.ir.evaluate import Evaluator, Names

MOST_STEPS = 100_000
"""Steps that an expression may take in one state: about 0.1 s. States of specs are small."""

MOST_SECONDS = 5.0
"""Seconds that an expression may take in one state, whatever its steps are."""

MOST_BITS = 4096
"""Bits of the largest number: Python takes long to print larger ones, or refuses to."""

_COLLECTIONS = (list, tuple, dict, set, frozenset)

_LOOK_EVERY = 256
"""Steps between two looks at the clock."""


class TooLargeError(Exception):
    """An expression exceeded a limit.

    `parts` are the terms that took most of the limit, the innermost first. `at_once`: the innermost
    exceeded the limit in one step.
    """

    def __init__(self, message: str, at_once: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.at_once = at_once
        self.parts: list[ir.Term] = []


class Bounded(Evaluator):
    """Evaluates one term in one state, or raises TooLargeError."""

    def __init__(self, model: ir.Lowered) -> None:
        super().__init__(model)
        self.steps = 0
        self.end = time.monotonic() + MOST_SECONDS

    def value(self, term: ir.Term, names: Names) -> Any:
        before = self.steps
        try:
            self._spend(1)
            found = super().value(term, names)
            self._spend(_size(found))
        except TooLargeError as wrong:
            if wrong.parts or wrong.at_once or self.steps - before > MOST_STEPS // 2 or not before:
                wrong.parts.append(term)
            raise
        return found

    def block(self, statements: Sequence[ir.Statement], names: Names) -> None:
        self._spend(1)
        super().block(statements, names)

    def _spend(self, steps: int) -> None:
        before, self.steps = self.steps, self.steps + steps
        if self.steps > MOST_STEPS:
            raise TooLargeError(f"this takes more than {MOST_STEPS:,} steps in one state")
        if self.steps // _LOOK_EVERY != before // _LOOK_EVERY and time.monotonic() > self.end:
            raise TooLargeError(f"this takes more than {MOST_SECONDS:g} s in one state")


def _size(value: Any) -> int:
    """The number of elements of a collection, 0 for other values. Raises TooLargeError."""
    if type(value) is int and value.bit_length() > MOST_BITS:
        raise TooLargeError(f"this is a number of more than {MOST_BITS:,} bits", at_once=True)
    return len(cast("Sized", value)) if isinstance(value, _COLLECTIONS) else 0
