"""Random walks under CPython, one after the other. Slow: the reference for compiled walks."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.ir.layout import Layout
from specmodel.kernel.walking import DEADLOCK, FAILED_PROPERTY, FAILED_STEP, FIRST, OUTSIDE
from specmodel.model.model import Rule
from specmodel.results import SpecFailure
from specmodel.walks.plan import WalkPlan
from specmodel.walks.random_choices import Chooser, Experience, fingerprint, walk_key
from specmodel.walks.totals import (
    CUT_OFF,
    ENDING_BITS,
    NO_SUCCESSOR,
    NO_WEIGHT,
    OUT_OF_CONSTRAINTS,
    VIOLATING,
    Records,
    WalkPath,
    WalkTotals,
    note_least,
)


class InterpretedWalks:
    """The walks of a plan, which check `rules`; the findings `ends` end a walk."""

    def __init__(
        self, design: Design, rules: Sequence[Rule], plan: WalkPlan, ends: frozenset[int]
    ) -> None:
        """Raises SpecFailure if the spec fails in `init`."""
        started = time.perf_counter()
        self.rules = rules
        self.scale = 1
        self.plan = plan
        self.ends = ends
        self.workers = 1
        self.interpreter = Interpreter(design.spec)
        self.layout = Layout(design.spec.domain)
        self.initial = list(self.interpreter.initial())
        places = {rule.name: i for i, rule in enumerate(design.spec.rules)}
        self.actions = [places[rule.name] for rule, _ in self.interpreter.bindings]
        self.weights = plan.weights_of(design)
        self.experience = Experience()
        self.unwanted: set[int] = {DEADLOCK} - ends
        self.stopped = False
        marks = len(self.actions) + len(places) if plan.lists_walks else 0
        self._totals = WalkTotals([0] * len(self.actions), [0] * marks)
        self._first, self._endings = 0, array("q")
        self.seconds = time.perf_counter() - started

    def go(self, first: int, end: int) -> None:
        self._first, self._endings = first, array("q", bytes(8 * (end - first)))
        for place in range(end - first):
            if self.stopped or self._violated():
                return
            totals, experience = self._totals, self.experience
            path, how = self._walk(first + place, totals, experience, lambda: self.stopped)
            if how is not None:
                self._endings[place] = len(path.bindings) + 1 << ENDING_BITS | how
                self._spread(path)

    def take_back(self, end: int) -> None:
        """Forgets the walks from `end` on. A walk that violates is the last one made."""
        del self._endings[end - self._first :]

    def endings(self) -> array[int]:
        return self._endings

    def learn(self) -> None:
        self.experience.learn()

    def path(self, walk: int) -> WalkPath:
        totals, experience = WalkTotals([0] * len(self.actions)), Experience(self.experience.counts)
        return self._walk(walk, totals, experience, lambda: False)[0]

    def compiled(self) -> None:
        """None: CPython makes these walks."""
        return

    def progress(self) -> tuple[int, int]:
        return self._totals.ended, self._totals.steps

    def records(self) -> Records:
        return self._totals.records

    def totals(self) -> WalkTotals:
        return self._totals

    def forget(self, finding: int) -> None:
        self.unwanted.add(finding)

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        """Nothing to close."""

    def _violated(self) -> bool:
        return not self.ends.isdisjoint(self._totals.records)

    def _walk(
        self, walk: int, totals: WalkTotals, experience: Experience, stopped: Callable[[], bool]
    ) -> tuple[WalkPath, int | None]:
        """Makes a walk, or a part if time runs out; returns how it ended, None if it did not."""
        key = walk_key(self.plan.seed, walk)
        chooser = Chooser(self.plan, key, self.actions, self.weights, experience)
        initial = chooser.initial(len(self.initial))
        taken: list[int] = []
        state = self.initial[initial]
        how = self._enter(state, (walk, 0), set(), totals)
        while how is None:
            if len(taken) + 1 == self.plan.depth:
                totals.cut += 1
                how = CUT_OFF
                break
            if stopped():
                return WalkPath(initial, taken), None
            number, how = self._step(state, (walk, len(taken)), chooser, totals)
            if number is None:
                break
            taken.append(number)
            totals.steps += 1
            totals.taken[number] += 1
            after = self.interpreter.successor(state, number)
            how = self._enter(after, (walk, len(taken)), self._found(state, after), totals)
            state = after
        totals.ended += 1
        totals.longest = max(totals.longest, len(taken))
        return WalkPath(initial, taken), how

    def _spread(self, path: WalkPath) -> None:
        """Counts the bindings that a walk has taken, each once."""
        if self._totals.spread:
            actions = {len(self.actions) + self.actions[number] for number in path.bindings}
            for mark in {*path.bindings} | actions:
                self._totals.spread[mark] += 1

    def _step(
        self, state: Any, at: tuple[int, int], chooser: Chooser, totals: WalkTotals
    ) -> tuple[int | None, int | None]:
        """The binding that a walk takes from a state, or else how the walk ends there."""
        try:
            enabled = [number for number, _ in self.interpreter.successors(state)]
        except SpecFailure:
            return None, self._note({FAILED_STEP}, at, totals)
        if enabled:
            number = chooser.choose(at[1] + 1, enabled)
            return number, NO_WEIGHT if number is None else None
        return None, self._note({DEADLOCK}, at, totals) or NO_SUCCESSOR

    def _enter(
        self, state: Any, at: tuple[int, int], found: set[int], totals: WalkTotals
    ) -> int | None:
        """Checks a state reached by a step with findings; returns how the walk ends there."""
        try:
            if not self.interpreter.inside(state):
                found.add(OUTSIDE)
            found |= self._found(state, outside=OUTSIDE in found)
        except SpecFailure:
            found.add(FAILED_PROPERTY)
        if OUTSIDE not in found:
            totals.sample.add(fingerprint(self.layout.pack(state)), at[0])
        return self._note(found, at, totals)

    def _found(self, *states: Any, outside: bool = False) -> set[int]:
        """The findings of the properties in a state or step; a property that fails does not hide
        others.

        Nothing is reachable outside the constraints.
        """
        found: set[int] = set()
        for place, rule in enumerate(self.rules):
            if rule.states != len(states) or (outside and rule.role == "reachable"):
                continue
            try:
                if self.interpreter.found(rule, states):
                    found.add(FIRST + place)
            except SpecFailure:
                found.add(FAILED_PROPERTY)
        return found

    def _note(self, found: set[int], at: tuple[int, int], totals: WalkTotals) -> int | None:
        """Records findings; returns how the walk ends with them, None if it continues."""
        for finding in found - self.unwanted - {OUTSIDE}:
            note_least(totals.records, {finding: at})
        if not found.isdisjoint(self.ends):
            return VIOLATING
        return OUT_OF_CONSTRAINTS if OUTSIDE in found else None


walker = InterpretedWalks
