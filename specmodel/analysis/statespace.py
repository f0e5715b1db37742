"""The states of a design and the steps between them, up to a limit, level by level."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.ir.layout import width
from specmodel.kernel.context import FIRST_PROPERTY
from specmodel.kernel.kernel import Kernel
from specmodel.model.model import Interpreted, Rule

Words = tuple[int, ...]

TELL_EVERY = 256
"""States between reports of progress."""


@dataclass(frozen=True)
class Visited:
    """A state with its place in the order of the search, from 0, and its depth, from 1.

    `steps` are the enabled actions with the places of the states that they lead to.
    """

    place: int
    depth: int
    key: Any
    steps: tuple[tuple[str, int], ...]


class CompiledSteps:
    """The steps of a design and some of its properties on packed states, by the compiled kernel."""

    def __init__(self, design: Design, rules: Sequence[Rule]) -> None:
        self.spec = design.spec
        self.interpreter = Interpreter(self.spec)
        self.kernel = Kernel(self.spec, rules or self.spec.properties[:1])
        self.layout = self.kernel.program.layout
        self.context = self.kernel.context()

    def inside(self, key: Words) -> bool:
        """Whether a state is within the spec's constraints."""
        return not self.spec.bounds or self.interpreter.inside(self.layout.unpack(key))

    def after(self, states: Sequence[Words]) -> list[Words]:
        """The successors of some states."""
        return self.kernel.successors(states, self.context)

    def noted(self, states: Sequence[Words], records: Sequence[int], stepping: bool) -> bool:
        """Whether one of some records of the context is set in states, or in steps from them."""
        for record in records:
            self.context.forget(record)
        (self.kernel.successors if stepping else self.kernel.look)(states, self.context)
        return any(self.context.finding(record) is not None for record in records)


class StateSpace(ABC):
    """The state graph of a design, searched on demand.

    A state has a key, which takes little memory. `progress` is told the number of visited states.
    """

    interpreter: Interpreter

    def __init__(self, design: Design) -> None:
        self.rules = [rule for rule in design.chosen(None) if rule.role == "invariant"]
        self.names = [rule.name for rule in design.spec.rules]
        self.progress: Callable[[int], None] | None = None
        # The states found so far with their depths, by place, and places by state.
        self.keys: list[Any] = []
        self.depths: list[int] = []
        self.places: dict[Any, int] = {}

    def visit(self, most: int) -> Iterator[Visited]:
        """The states in the order of a breadth-first search, until more than `most` are known.

        States beyond the limit, or beyond the spec's constraints, are left out, with the steps to
        them. Raises SpecFailure if the spec fails in one.
        """
        queue, depths = self.keys, self.depths
        for known in (queue, depths, self.places):
            known.clear()

        def place(key: Any, depth: int) -> int | None:
            known = self.places.get(key)
            if known is None and len(queue) < most and self.inside(key):
                known = self.places[key] = len(queue)
                queue.append(key)
                depths.append(depth)
            return known

        for key in self.initial():
            place(key, 1)
        at = 0
        while at < len(queue):
            key, depth = queue[at], depths[at]
            found = [(name, place(to, depth + 1)) for name, to in self.successors(key)]
            steps = tuple((name, to) for name, to in found if to is not None)
            yield Visited(at, depth, key, steps)
            at += 1
            if self.progress is not None and at % TELL_EVERY == 0:
                self.progress(at)

    @abstractmethod
    def initial(self) -> Iterable[Any]:
        """The initial states."""

    @abstractmethod
    def inside(self, key: Any) -> bool:
        """Whether a state is within the spec's constraints."""

    @abstractmethod
    def successors(self, key: Any) -> Iterator[tuple[str, Any]]:
        """The successors of a state, each with the action that leads there, in their order."""

    @abstractmethod
    def state(self, key: Any) -> Any:
        """A state as values."""

    @abstractmethod
    def violating(self, keys: Sequence[Any]) -> list[bool]:
        """For each state, whether an invariant that the design checks is false in it."""

    def part(self, names: Iterable[str]) -> Callable[[Any], Hashable]:
        """A function of keys that is equal only where these variables of the state are."""
        return lambda key: key


def state_space(design: Design) -> StateSpace:
    """The state graph of a design: with compiled steps, or by the interpreter that it brings."""
    return (EvaluatedSpace if isinstance(design.spec, Interpreted) else CompiledSpace)(design)


class EvaluatedSpace(StateSpace):
    """The state graph of a design by its interpreter. SYMMETRY and VIEW do not count."""

    def __init__(self, design: Design) -> None:
        super().__init__(design)
        self.interpreter = Interpreter.of(design.spec)

    def initial(self) -> Iterable[Any]:
        return map(self.interpreter.key, self.interpreter.initial())

    def inside(self, key: Any) -> bool:
        return not self.interpreter.bounded or self.interpreter.inside(self.state(key))

    def successors(self, key: Any) -> Iterator[tuple[str, Any]]:
        state = self.state(key)
        for number, after in self.interpreter.successors(state):
            yield self.interpreter.rule_of(number, state).name, self.interpreter.key(after)

    def state(self, key: Any) -> Any:
        return self.interpreter.keyed(key)

    def violating(self, keys: Sequence[Any]) -> list[bool]:
        holds, rules = self.interpreter.holds, self.rules
        return [not all(holds(rule, self.state(key)) for rule in rules) for key in keys]


class CompiledSpace(CompiledSteps, StateSpace):
    """The state graph of a design with compiled steps: keys are packed states."""

    def __init__(self, design: Design) -> None:
        StateSpace.__init__(self, design)
        CompiledSteps.__init__(self, design, self.rules)
        self.records = range(FIRST_PROPERTY, FIRST_PROPERTY + len(self.rules))

    def initial(self) -> Iterable[Words]:
        return map(self.layout.pack, self.interpreter.initial())

    def successors(self, key: Words) -> Iterator[tuple[str, Words]]:
        before = self.context.fired()
        reached = iter(self.after([key]))
        fired = [now - then for now, then in zip(self.context.fired(), before, strict=True)]
        for name, times in zip(self.names, fired, strict=True):
            for _ in range(times):
                yield name, next(reached)

    def state(self, key: Words) -> Any:
        return self.layout.unpack(key)

    def violating(self, keys: Sequence[Words]) -> list[bool]:
        if not keys or not self.records or not self.noted(keys, self.records, stepping=False):
            return [False] * len(keys)
        if len(keys) == 1:
            return [True]
        middle = len(keys) // 2
        return self.violating(keys[:middle]) + self.violating(keys[middle:])

    def part(self, names: Iterable[str]) -> Callable[[Words], Words]:
        wanted, mask = set(names), [0] * self.layout.words
        slots = iter(self.layout.slots)
        for name, domain in self.spec.domain.fields.items():
            for slot in islice(slots, width(domain)):
                if name in wanted:
                    mask[slot.word] |= slot.mask << slot.shift
        return lambda key: tuple(word & bits for word, bits in zip(key, mask, strict=True))
