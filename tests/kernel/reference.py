"""What a kernel should do with a batch of states, by running the spec's functions under CPython."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.kernel.blocks import BLOCK
from specmodel.kernel.context import (
    DEADLOCK,
    FIRST_PROPERTY,
    PROPERTY_FAILURE,
    STEP_FAILURE,
    Context,
    NotedState,
)
from specmodel.kernel.kernel import Kernel
from specmodel.machine.words import LANES
from specmodel.model.model import Model
from specmodel.results import SpecFailure

Words = tuple[int, ...]

FAILED = object()
"""Stands for the result of a binding or property that fails in a state."""


class Reference:
    """The transition relation and the properties of a kernel's spec, on packed states."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.spec = kernel.program.spec
        self.rules = kernel.program.chosen
        self.interpreter = Interpreter(self.spec)
        self.pack = kernel.program.layout.pack

    def compare(self, states: Sequence[Any]) -> None:
        """Asserts that the kernel finds what CPython does in these states, all in one batch."""
        self.compare_successors(states)
        self.compare_properties(states)
        self.compare_constraints(states)

    # Expanding

    def outcome(self, state: Any, number: int) -> Any:
        """The state that a binding leads to, None if it is not enabled, or FAILED."""
        try:
            return self.interpreter.successor(state, number)
        except SpecFailure:
            return FAILED

    def compare_successors(self, states: Sequence[Any]) -> None:
        """Successors in order, what fired, and the least failure, dead end and broken step."""
        bindings = self.interpreter.bindings
        table = [[self.outcome(s, n) for n in range(len(bindings))] for s in states]
        packed = [self.pack(state) for state in states]
        wanted: list[Words] = []
        fired = dict.fromkeys([rule.name for rule in self.spec.rules], 0)
        for block in range(0, len(states), BLOCK):
            for number, (rule, _) in enumerate(bindings):
                for row in table[block : block + BLOCK]:
                    if row[number] is not None and row[number] is not FAILED:
                        wanted.append(self.pack(row[number]))
                        fired[rule.name] += 1
        context = self.kernel.context()
        assert self.kernel.successors(packed, context) == wanted
        assert context.fired() == list(fired.values())
        failed = [(packed[i], n) for i, n in _places(table) if table[i][n] is FAILED]
        stuck = [(packed[i], 0) for i, row in enumerate(table) if not any(map(_alive, row))]
        assert_found(context, STEP_FAILURE, failed)
        assert_found(context, DEADLOCK, stuck)
        self._compare_transitions(states, table, packed, context)

    def _compare_transitions(
        self,
        states: Sequence[Any],
        table: Sequence[Sequence[Any]],
        packed: Sequence[Words],
        context: Context,
    ) -> None:
        failed: list[tuple[Words, int]] = []
        for p, rule in enumerate(self.rules):
            if rule.role != "transition":
                continue
            broken: list[tuple[Words, int]] = []
            for i, n in _places(table):
                if _alive(table[i][n]):
                    held = self.truth(p, states[i], table[i][n])
                    if held is FAILED:
                        failed.append((packed[i], p))
                    elif not held:
                        broken.append((packed[i], n))
            assert_found(context, FIRST_PROPERTY + p, broken)
        assert_found(context, PROPERTY_FAILURE, failed)

    # Properties

    def truth(self, number: int, *states: Any) -> Any:
        """Whether a property holds, or FAILED."""
        try:
            return self.interpreter.holds(self.rules[number], *states)
        except SpecFailure:
            return FAILED

    def compare_properties(self, states: Sequence[Any]) -> None:
        """The least state that breaks (or reaches) each property, and that in which one fails."""
        columns, width = columns_of([self.pack(s) for s in states])
        context = self.kernel.context()
        address = ctypes.addressof(columns)
        assert self.kernel.check(address, width, 0, len(states), context.address) == len(states)
        failed: list[tuple[Words, int]] = []
        for p, rule in enumerate(self.rules):
            if rule.role == "transition":
                continue
            truths = [self.truth(p, s) for s in states]
            sought = rule.role == "reachable"
            hits = [(self.pack(s), p) for s, t in zip(states, truths, strict=True) if t is sought]
            failed += [
                (self.pack(s), p) for s, t in zip(states, truths, strict=True) if t is FAILED
            ]
            assert_found(context, FIRST_PROPERTY + p, hits)
        assert_found(context, PROPERTY_FAILURE, failed)

    # Constraints

    def compare_constraints(self, states: Sequence[Any]) -> None:
        """The states inside the constraints, in order, and the invariants broken just outside."""
        if self.kernel.keep is None:
            return
        inside = [all(self.interpreter.holds(b, s) for b in self.spec.bounds) for s in states]
        packed = [self.pack(s) for s in states]
        columns, width = columns_of(packed)
        context = self.kernel.context()
        kept = self.kernel.keep(ctypes.addressof(columns), width, len(states), context.address)
        rows = [tuple(columns[w * width + i] for w in range(len(packed[0]))) for i in range(kept)]
        assert rows == [words for words, held in zip(packed, inside, strict=True) if held]
        for p, rule in enumerate(self.rules):
            if rule.role == "invariant":
                outside = [
                    (words, p)
                    for words, held, state in zip(packed, inside, states, strict=True)
                    if not held and self.truth(p, state) is False
                ]
                assert_found(context, FIRST_PROPERTY + p, outside)


def assert_found(context: Context, record: int, places: Sequence[tuple[Words, int]]) -> None:
    """Asserts that a record holds the least of some states with their bindings, or nothing."""
    wanted = NotedState(*min(places)) if places else None
    assert context.finding(record) == wanted


def columns_of(packed: Sequence[Words]) -> tuple[Any, int]:
    """States as a kernel reads them, with room for reading past the end; and the stride."""
    width = len(packed) + 2 * LANES
    columns = (ctypes.c_uint64 * (len(packed[0]) * width))()
    for word in range(len(packed[0])):
        columns[word * width : word * width + len(packed)] = [s[word] for s in packed]
    return columns, width


def _alive(outcome: Any) -> bool:
    return outcome is not None and outcome is not FAILED


def _places(table: Sequence[Sequence[Any]]) -> Iterator[tuple[int, int]]:
    return ((i, n) for i, row in enumerate(table) for n in range(len(row)))


def reachable_states(spec: Model, most: int) -> list[Any]:
    """The first states of a breadth-first search; what fails is passed over, `init` included."""
    interpreter = Interpreter(spec)
    found: dict[int, Any] = {}
    with suppress(SpecFailure):
        for state in interpreter.initial():
            found[spec.domain.index(state)] = spec.domain.copy(state)
    for state in (queue := list(found.values())):
        if len(found) >= most:
            break
        for number in range(len(interpreter.bindings)):
            try:
                after = interpreter.successor(state, number)
            except SpecFailure:
                continue
            if after is not None and spec.domain.index(after) not in found:
                found[spec.domain.index(after)] = after
                queue.append(after)
    return list(found.values()) or [spec.domain.at(0)]


def mixed_states(spec: Model, near: Sequence[Any], count: int, draw: random.Random) -> list[Any]:
    """States whose variables come from states `near`, or from anywhere in their domains."""
    mixed: list[Any] = []
    for _ in range(count):
        parts: list[Any] = []
        for name, domain in spec.domain.fields.items():
            if draw.random() < 0.7:
                parts.append(domain.copy(getattr(draw.choice(near), name)))
            else:
                parts.append(domain.at(draw.randrange(domain.size)))
        mixed.append(spec.domain.build(parts))
    return mixed
