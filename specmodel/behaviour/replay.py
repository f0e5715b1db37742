"""Replays a trace on a design, under CPython: does the spec allow every step?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.behaviour.formulas import is_temporal
from specmodel.behaviour.lasso import breaks
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.results import DEADLOCK, Lasso, Step, Trace
from specmodel.traces.changes import changes
from specmodel.traces.notation import Notation


class Replay:
    """The states of a trace, to be walked by a design's own functions."""

    def __init__(self, design: Design, states: Sequence[Any], actions: Sequence[str] = ()) -> None:
        self.design = design
        self.states = states
        self.actions = actions or [""] * len(states)
        self.interpreter = Interpreter.of(design.spec)
        self.notation = Notation.of_spec(design.spec)

    def trace(self, loop: int | None = None) -> Trace:
        """The trace with its steps found. Where a step is named, it is that one.

        Raises UsageError that says at which step the trace leaves the spec, and how.
        """
        self._first()
        states, steps = list(self.states), [self._step(i) for i in range(1, len(self.states))]
        if loop is None:
            return Trace(tuple(states), tuple(steps))
        if loop < len(states) - 1 and states[-1] == states[loop]:  # it is written out once more
            return Trace(tuple(states[:-1]), tuple(steps[:-1]), loop, steps[-1])
        return Trace(tuple(states), tuple(steps), loop, self._back(loop))

    def lasso(self, name: str, trace: Trace) -> Lasso | None:
        """The facts about a lasso that violates a temporal property.

        None if there is no temporal property with this name, or the trace does not violate it.
        """
        for rule in self.design.spec.properties:
            if rule.name == name and trace.loop is not None:
                if is_temporal(rule):
                    return breaks(self.interpreter, rule, trace)
                return self.interpreter.lasso(rule, trace)
        return None

    def violates(self, name: str, trace: Trace | None = None) -> bool | None:
        """Whether the trace ends in a violation of a property (for a reachable one: meets it).

        A temporal property takes a fair `trace` with a loop. None if the design has no property
        with this name, or it says nothing of these states.
        """
        if name == DEADLOCK:
            return self.interpreter.found(None, self.states)
        for rule in self.design.spec.properties:
            if rule.name == name:
                lasso = None if trace is None else self.lasso(name, trace)
                if lasso is not None or is_temporal(rule):
                    return lasso is not None and lasso.fair
                if not self.interpreter.about(rule, self.states):
                    return None
                return self.interpreter.found(rule, self.states)
        return None

    def _first(self) -> None:
        wanted = self.states[0]
        starts = list(self.interpreter.initial())
        if wanted in starts:
            return
        message = f"state 1 is not an initial state of {self.design.name}"
        if starts:
            nearest = min(starts, key=lambda s: len(list(changes(s, wanted))))
            message += f": {self._difference(nearest, wanted)}"
        raise UsageError(message)

    def _step(self, index: int) -> Step:
        """The step from state index-1 to state index."""
        before, after, named = self.states[index - 1], self.states[index], self.actions[index]
        enabled = [
            (self.interpreter.step(number, before), self.design.spec.domain.copy(state))
            for number, state in self.interpreter.successors(before)
        ]
        labels = [Notation().step(step) for step, _ in enabled]
        told = [pair for label, pair in zip(labels, enabled, strict=True) if label == named]
        for step, state in told:
            if state == after:
                return step
        if told:
            raise UsageError(
                f"state {index + 1}: {named} leads elsewhere: {self._difference(told[0][1], after)}"
            )
        leading = [step for step, state in enabled if state == after]
        if leading and not named:
            return leading[0]
        where = f"state {index + 1}: {named or 'no step leads there'}"
        what = f"{where}{' cannot happen in the state before' if named else ''}"
        others = ", ".join(dict.fromkeys(labels)) or "nothing: the state before has no successor"
        raise UsageError(f"{what}; {self.design.name} can do {others}")

    def _back(self, loop: int) -> Step | None:
        """The step from the last state back to the one at `loop`; None: it stays there."""
        if loop == len(self.states) - 1:
            return None
        for number, state in self.interpreter.successors(self.states[-1]):
            if state == self.states[loop]:
                return self.interpreter.step(number, self.states[-1])
        raise UsageError(f"no step leads from the last state back to state {loop + 1}")

    def _difference(self, spec: Any, file: Any) -> str:
        write = self.notation.value
        differing = [
            f"{c.path} is {write(c.after)} in the trace, {write(c.before)} by the spec"
            for c in changes(spec, file)
        ]
        return "; ".join(differing)
