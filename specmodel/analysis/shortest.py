"""All the shortest ways to a finding, as a graph in levels.

Level by level from the initial states with the compiled kernel, then back from the states where the
finding is made: what remains are the states through which some shortest way leads.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from specmodel.design import Design
from specmodel.engines.interpret.steps import Interpreter
from specmodel.kernel.context import DEADLOCK, FIRST_PROPERTY
from specmodel.kernel.kernel import Kernel
from specmodel.results import DEADLOCK as DEADLOCK_NAME

Words = tuple[int, ...]

BLOCK = 1 << 12
LANES = 8


class TooManyStatesError(Exception):
    """The states to be held are more than the caller wants to."""


@dataclass(frozen=True)
class Edge:
    """A step by a binding, as the interpreter numbers them, to a state of the next level."""

    binding: int
    to: Words


class ShortestRuns:
    """The shortest ways of a design to a finding: a violated or met property, or a deadlock.

    `levels` has the states they lead through, initial ones first; `edges` the steps between them.
    """

    def __init__(self, design: Design, name: str, length: int, most: int) -> None:
        """Raises TooManyStatesError if there are more than `most` states up to the finding.

        `length` is that of a shortest trace to it, in states.
        """
        spec = design.spec
        self.interpreter = Interpreter(spec)
        rules = () if name == DEADLOCK_NAME else design.chosen([name])
        self.rule = rules[0] if rules else None
        self.kernel = Kernel(spec, rules or spec.properties[:1])
        self.layout = self.kernel.program.layout
        self.context = self.kernel.context()
        self.record = FIRST_PROPERTY if self.rule else DEADLOCK
        self.stepped = self.rule is not None and self.rule.role == "transition"
        forward = self._forward(length - 1 if self.stepped else length, most)
        self.levels = self._back(forward)

    def edges(self, level: int, state: Words) -> Iterator[Edge]:
        """The steps from a state of a level that lead on, by binding."""
        last = level == len(self.levels) - 1
        before = self.layout.unpack(state)
        for number, after in self.interpreter.successors(before):
            if last:
                assert self.stepped and self.rule is not None
                on = not self.interpreter.holds(self.rule, before, after)
            else:
                on = self.layout.pack(after) in self.levels[level + 1]
            if on:
                yield Edge(number, self.layout.pack(after))

    @property
    def steps(self) -> int:
        """The steps of each of the ways."""
        return len(self.levels) - (0 if self.stepped else 1)

    def _forward(self, length: int, most: int) -> list[set[Words]]:
        level = {self.layout.pack(s) for s in self.interpreter.initial()}
        seen = set(level)
        levels = [level]
        while len(levels) < length:
            rest, level = iter(self._inside(levels[-1])), set[Words]()
            while some := list(islice(rest, BLOCK)):
                level.update(self._successors(some))
            level -= seen
            seen |= level
            if len(seen) > most:
                raise TooManyStatesError
            levels.append(level)
        return levels

    def _inside(self, states: Iterable[Words]) -> Iterable[Words]:
        """Those that the spec's constraints let the search go on from."""
        bounds = self.interpreter.spec.bounds
        if not bounds:
            return states
        holds, unpack = self.interpreter.holds, self.layout.unpack
        return [s for s in states if all(holds(bound, unpack(s)) for bound in bounds)]

    def _back(self, forward: list[set[Words]]) -> list[set[Words]]:
        on = set(_narrowed(forward[-1], self._finds))
        levels = [on]
        for level in forward[-2::-1]:
            following = levels[-1]

            def leads_on(states: Sequence[Words], goal: set[Words] = following) -> bool:
                return not goal.isdisjoint(self._successors(states))

            levels.append(set(_narrowed(self._inside(level), leads_on)))
        return levels[::-1]

    def _successors(self, states: Sequence[Words]) -> list[Words]:
        return self.kernel.successors(states, self.context)

    def _finds(self, states: Sequence[Words]) -> bool:
        """Whether the finding is made in one of a few states."""
        self.context.forget(self.record)
        if self.stepped or self.record == DEADLOCK:
            self._successors(states)
        else:
            words = self.layout.words
            columns = (ctypes.c_uint64 * (words * LANES))()
            for word in range(words):
                columns[word * LANES : word * LANES + len(states)] = [s[word] for s in states]
            address = ctypes.addressof(columns)
            self.kernel.check(address, LANES, 0, len(states), self.context.address)
        return self.context.finding(self.record) is not None


def _narrowed(states: Iterable[Words], test: Callable[[Sequence[Words]], bool]) -> Iterator[Words]:
    """The states that pass a test which is as cheap for LANES of them as for one."""
    rest = iter(states)
    while some := list(islice(rest, LANES)):
        if test(some):
            yield from (state for state in some if test([state]))
