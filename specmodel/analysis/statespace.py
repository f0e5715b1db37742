"""The states of a design and the steps between them, up to a limit, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.kernel.context import FIRST_PROPERTY
from specmodel.kernel.kernel import Kernel
from specmodel.model.model import Rule

Words = tuple[int, ...]


@dataclass(frozen=True)
class Visited:
    """A state with its place in the order of the search, from 0, and its depth, from 1.

    `steps` are the enabled actions with the places of the states that they lead to.
    """

    place: int
    depth: int
    words: Words
    steps: tuple[tuple[str, int], ...]


class CompiledSteps:
    """The steps of a design and some of its properties on packed states, by the compiled kernel."""

    def __init__(self, design: Design, rules: Sequence[Rule]) -> None:
        self.spec = design.spec
        self.interpreter = Interpreter(self.spec)
        self.kernel = Kernel(self.spec, rules or self.spec.properties[:1])
        self.layout = self.kernel.program.layout
        self.context = self.kernel.context()

    def inside(self, words: Words) -> bool:
        """Whether a state is within the spec's constraints."""
        return not self.spec.bounds or self.interpreter.inside(self.layout.unpack(words))

    def after(self, states: Sequence[Words]) -> list[Words]:
        """The successors of some states."""
        return self.kernel.successors(states, self.context)

    def noted(self, states: Sequence[Words], records: Sequence[int], stepping: bool) -> bool:
        """Whether one of some records of the context is set in states, or in steps from them."""
        for record in records:
            self.context.forget(record)
        (self.kernel.successors if stepping else self.kernel.look)(states, self.context)
        return any(self.context.finding(record) is not None for record in records)


class StateSpace(CompiledSteps):
    """The state graph of a design, searched on demand."""

    def __init__(self, design: Design) -> None:
        invariants = [rule for rule in design.chosen(None) if rule.role == "invariant"]
        super().__init__(design, invariants)
        self.records = range(FIRST_PROPERTY, FIRST_PROPERTY + len(invariants))
        self.names = [rule.name for rule in self.spec.rules]
        # The states found so far with their depths, by place, and places by state.
        self.words: list[Words] = []
        self.depths: list[int] = []
        self.places: dict[Words, int] = {}

    def visit(self, most: int) -> Iterator[Visited]:
        """The states in the order of a breadth-first search, until more than `most` are known.

        States beyond the limit, or beyond the spec's constraints, are left out, with the steps to
        them.
        """
        queue, depths = self.words, self.depths
        for known in (queue, depths, self.places):
            known.clear()

        def place(words: Words, depth: int) -> int | None:
            known = self.places.get(words)
            if known is None and len(queue) < most and self.inside(words):
                known = self.places[words] = len(queue)
                queue.append(words)
                depths.append(depth)
            return known

        for state in self.interpreter.initial():
            place(self.layout.pack(state), 1)
        at = 0
        while at < len(queue):
            words, depth = queue[at], depths[at]
            found = [(name, place(to, depth + 1)) for name, to in self.successors(words)]
            steps = tuple((name, to) for name, to in found if to is not None)
            yield Visited(at, depth, words, steps)
            at += 1

    def successors(self, words: Words) -> Iterator[tuple[str, Words]]:
        """The successors of a state, each with the action that leads there, in their order."""
        before = self.context.fired()
        reached = iter(self.after([words]))
        fired = [now - then for now, then in zip(self.context.fired(), before, strict=True)]
        for name, times in zip(self.names, fired, strict=True):
            for _ in range(times):
                yield name, next(reached)

    def state(self, words: Words) -> Any:
        """A state as values."""
        return self.layout.unpack(words)

    def violating(self, states: Sequence[Words]) -> list[bool]:
        """For each state, whether an invariant that the design checks is false in it."""
        if not states or not self.records or not self.noted(states, self.records, stepping=False):
            return [False] * len(states)
        if len(states) == 1:
            return [True]
        middle = len(states) // 2
        return self.violating(states[:middle]) + self.violating(states[middle:])
