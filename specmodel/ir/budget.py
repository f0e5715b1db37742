"""Evaluates an expression that somebody typed within limits, so that none goes on for ever.

Steps are counted, so that in one state an expression has its value always or never. A term is a
step, and so is each element of a collection that a term gives. A limit of time stands behind, for
steps that take long by themselves.
"""

from __future__ import annotations

import time
from collections.abc import Sequence, Sized
from typing import Any, cast

from specmodel.ir import nodes as ir
from specmodel.ir.evaluate import Evaluator, Names

MOST_STEPS = 100_000
"""Steps that an expression may take in one state: some 0.1 s. States of specs are small."""

MOST_SECONDS = 5.0
"""Seconds that it may take in one state, whatever its steps do."""

MOST_BITS = 4096
"""Bits of the largest number: Python takes long to write larger ones, or refuses to."""

_COLLECTIONS = (list, tuple, dict, set, frozenset)

_LOOK_EVERY = 256
"""The clock is looked at after so many steps."""


class TooLargeError(Exception):
    """An expression went beyond a limit.

    `parts` are the terms that took most of what was allowed, the innermost first. `at_once`: the
    innermost did so alone.
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
    """The elements of a collection."""
    if type(value) is int and value.bit_length() > MOST_BITS:
        raise TooLargeError(f"this is a number of more than {MOST_BITS:,} bits", at_once=True)
    return len(cast("Sized", value)) if isinstance(value, _COLLECTIONS) else 0
