"""Random walks under CPython, one after the other: slow, obvious, the same as the compiled ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from specmodel.design import Design
from specmodel.engines.interpret.steps import Interpreter
from specmodel.ir.layout import Layout
from specmodel.kernel.walking import DEADLOCK, FAILED_PROPERTY, FAILED_STEP, FIRST, OUTSIDE
from specmodel.lang.spec import Rule
from specmodel.results import SpecFailure
from specmodel.walks.chance import Chooser, Experience, fingerprint, walk_key
from specmodel.walks.plan import Plan
from specmodel.walks.tally import Path, Records, Tally, Walker, note_least


def walker(design: Design, rules: Sequence[Rule], plan: Plan, ends: frozenset[int]) -> Walker:
    """Makes ready for the walks of a plan, which look at `rules`; findings in `ends` end one.

    Raises SpecFailure if the spec fails in `init`.
    """
    return _Walker(design, rules, plan, ends)


class _Walker:
    def __init__(
        self, design: Design, rules: Sequence[Rule], plan: Plan, ends: frozenset[int]
    ) -> None:
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
        self._tally = Tally([0] * len(self.actions))
        self.seconds = time.perf_counter() - started

    def go(self, first: int, end: int) -> None:
        for walk in range(first, end):
            if self.stopped or self._violated():
                return
            self._walk(walk, self._tally, self.experience, lambda: self.stopped)

    def learn(self) -> None:
        self.experience.learn()

    def path(self, walk: int) -> Path:
        tally, experience = Tally([0] * len(self.actions)), Experience(self.experience.counts)
        return self._walk(walk, tally, experience, lambda: False)

    def progress(self) -> tuple[int, int]:
        return self._tally.ended, self._tally.steps

    def records(self) -> Records:
        return self._tally.records

    def tally(self) -> Tally:
        return self._tally

    def forget(self, finding: int) -> None:
        self.unwanted.add(finding)

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        """There is nothing to end."""

    def _violated(self) -> bool:
        return not self.ends.isdisjoint(self._tally.records)

    def _walk(
        self, walk: int, tally: Tally, experience: Experience, stopped: Callable[[], bool]
    ) -> Path:
        """Makes a walk, or as much of it as there is time for."""
        key = walk_key(self.plan.seed, walk)
        chooser = Chooser(self.plan, key, self.actions, self.weights, experience)
        initial = chooser.initial(len(self.initial))
        taken: list[int] = []
        state = self.initial[initial]
        going = self._enter(state, (walk, 0), set(), tally)
        while going:
            if len(taken) + 1 == self.plan.depth:
                tally.cut += 1
                break
            if stopped():
                return Path(initial, taken)
            number = self._step(state, (walk, len(taken)), chooser, tally)
            if number is None:
                break
            taken.append(number)
            tally.steps += 1
            tally.taken[number] += 1
            before, after = state, self.interpreter.successor(state, number)
            found = self._broken_step(before, after)
            going = self._enter(after, (walk, len(taken)), found, tally)
            state = after
        tally.ended += 1
        tally.longest = max(tally.longest, len(taken))
        return Path(initial, taken)

    def _step(self, state: Any, at: tuple[int, int], chooser: Chooser, tally: Tally) -> int | None:
        """The binding that a walk takes from a state."""
        try:
            enabled = [number for number, _ in self.interpreter.successors(state)]
        except SpecFailure:
            self._note({FAILED_STEP}, at, tally)
            return None
        if enabled:
            return chooser.choose(at[1] + 1, enabled)
        self._note({DEADLOCK}, at, tally)
        return None

    def _broken_step(self, before: Any, after: Any) -> set[int]:
        found: set[int] = set()
        for place, rule in enumerate(self.rules):
            if rule.role == "transition":
                try:
                    if not self.interpreter.holds(rule, before, after):
                        found.add(FIRST + place)
                except SpecFailure:
                    found.add(FAILED_PROPERTY)
        return found

    def _enter(self, state: Any, at: tuple[int, int], found: set[int], tally: Tally) -> bool:
        """Looks at a state that a walk has come to, by a step with findings; does it go on?"""
        try:
            if not self.interpreter.inside(state):
                found.add(OUTSIDE)
            found |= self._met(state, OUTSIDE in found)
        except SpecFailure:
            found.add(FAILED_PROPERTY)
        if OUTSIDE not in found:
            tally.sample.add(fingerprint(self.layout.pack(state)), at[0])
        return not self._note(found, at, tally)

    def _met(self, state: Any, outside: bool) -> set[int]:
        """What properties of a state find there; one that fails hides none of the others."""
        found: set[int] = set()
        for place, rule in enumerate(self.rules):
            if rule.role == "transition" or (rule.role == "reachable" and outside):
                continue
            try:
                if self.interpreter.holds(rule, state) == (rule.role == "reachable"):
                    found.add(FIRST + place)
            except SpecFailure:
                found.add(FAILED_PROPERTY)
        return found

    def _note(self, found: set[int], at: tuple[int, int], tally: Tally) -> bool:
        """Records findings; gives whether the walk ends with them."""
        for finding in found - self.unwanted - {OUTSIDE}:
            note_least(tally.records, {finding: at})
        return not found.isdisjoint(self.ends | {OUTSIDE})
