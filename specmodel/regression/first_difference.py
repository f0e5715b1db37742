"""The first difference between a design and its earlier version: the shortest way to it.

Both designs are walked together, state by state, under CPython. A step that only one can make, or
that has another effect, is the change of an edit.
"""

from __future__ import annotations

from typing import Any, Literal

from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.ir.guards import Guarded, Guards
from specmodel.results import Step
from specmodel.traces.changes import Change, changes
from specmodel.traces.notation import Notation

MOST_STATES = 5_000
"""The greatest number of states that are compared."""


@dataclass(frozen=True)
class FirstDifference:
    """The first difference between a design and its earlier version.

    After `steps` from an initial state, `step` is "new" or "lost", or leads "elsewhere": then
    `differences` are those of its effect, before and now. `guarded` are the guards that disable it:
    in the earlier version if the step is new. An initial state may be new or lost; then `step` is
    None.
    """

    kind: Literal["new", "lost", "elsewhere"]
    steps: tuple[Step, ...]
    step: Step | None
    guarded: Guarded | None = None
    differences: tuple[Change, ...] = ()


def comparable(now: Design, before: Design) -> bool:
    """Whether the two have the same variables with the same domains."""
    ours, theirs = now.spec.domain.fields, before.spec.domain.fields
    return list(ours) == list(theirs) and all(ours[n].size == theirs[n].size for n in ours)


def first_parting(now: Design, before: Design, most: int = MOST_STATES) -> FirstDifference | None:
    """The first difference, breadth first; None if there is none in the first `most` states.

    Raises SpecFailure if a spec fails on the way. The designs must be `comparable`.
    """
    return _Pair(now, before).walk(most)


class _Pair:
    def __init__(self, now: Design, before: Design) -> None:
        self.now, self.before = now, before
        self.ours, self.theirs = Interpreter(now.spec), Interpreter(before.spec)
        self.index, self.other_index = self.ours.domain.index, self.theirs.domain.index
        self.write = Notation().step
        self.parents: dict[int, tuple[int, Step] | None] = {}

    def walk(self, most: int) -> FirstDifference | None:
        level = {self.index(s): self.ours.domain.copy(s) for s in self.ours.initial()}
        if level.keys() != {self.other_index(s) for s in self.theirs.initial()}:
            fewer = len(level) < len(list(self.theirs.initial()))
            return FirstDifference("lost" if fewer else "new", (), None)
        self.parents = dict.fromkeys(level)
        while level and len(self.parents) < most:
            fresh: dict[int, Any] = {}
            for key, state in level.items():
                found = self._differing(key, state, fresh)
                if found is not None:
                    return found
            level = fresh
        return None

    def _differing(self, key: int, state: Any, fresh: dict[int, Any]) -> FirstDifference | None:
        explored = self.ours.inside(state)
        twin = self.theirs.domain.at(key)
        if explored != self.theirs.inside(twin):
            return FirstDifference("new" if explored else "lost", self._path(key), None)
        if not explored:
            return None
        ours = self._successors(self.ours, state)
        theirs = self._successors(self.theirs, twin)
        for label, (step, after) in ours.items():
            if label not in theirs:
                guarded = self._guards(self.before, twin, label)
                return FirstDifference("new", self._path(key), step, guarded)
            was = theirs[label][1]
            number = self.index(after)
            if number != self.other_index(was):
                here = self.ours.domain.at(self.other_index(was))
                return FirstDifference(
                    "elsewhere", self._path(key), step, None, tuple(changes(here, after))
                )
            if number not in self.parents:
                self.parents[number] = (key, step)
                fresh[number] = after
        for label, (step, _) in theirs.items():
            if label not in ours:
                guarded = self._guards(self.now, state, label)
                return FirstDifference("lost", self._path(key), step, guarded)
        return None

    def _successors(self, interpreter: Interpreter, state: Any) -> dict[str, tuple[Step, Any]]:
        found: dict[str, tuple[Step, Any]] = {}
        for number, after in interpreter.successors(state):
            step = interpreter.step(number)
            found[self.write(step)] = (step, interpreter.domain.copy(after))
        return found

    def _guards(self, design: Design, state: Any, label: str) -> Guarded | None:
        """The guards of a step that a design cannot make, if it has that action at all."""
        interpreter = self.ours if design is self.now else self.theirs
        for number, (rule, arguments) in enumerate(interpreter.bindings):
            if self.write(interpreter.step(number)) == label:
                return Guards(design.spec.code).read(rule.name, state, arguments)
        return None

    def _path(self, key: int) -> tuple[Step, ...]:
        steps: list[Step] = []
        parent = self.parents[key]
        while parent is not None:
            key, step = parent
            steps.append(step)
            parent = self.parents[key]
        return tuple(reversed(steps))
