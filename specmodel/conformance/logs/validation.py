"""Validates logs: the longest prefix that is a behaviour, and why the next event is no step."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from specmodel.behaviour.steps import Interpreter
from specmodel.conformance.logs.binding import read_log_binding
from specmodel.conformance.logs.known_steps import InterpretedSteps, KernelSteps, KnownSteps
from specmodel.conformance.logs.reading import LoggedEvent, read_logs
from specmodel.conformance.logs.search import LogProgress, LogSearch, Reached, Searched
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import SpecError, UsageError, suggestion
from specmodel.model.model import Interpreted
from specmodel.results import SpecFailure, Step, Trace
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences

LogEngine = Literal["auto", "native", "interpret"]

MOST_STATES = 3
"""The states that are explained, of those that the design may be in."""

MOST_TRIED = 4
"""The steps that are explained for each."""


@dataclass(frozen=True)
class TriedStep:
    """A step that an event could have been, and why it was not.

    `false` are the guards that are false, in words. Without any, the step is possible: `differing`
    has the observations that are not as the event tells, with what the design has, and what the
    event tells. `failure` is how the step fails, if it does.
    """

    step: str
    false: tuple[str, ...] = ()
    differing: tuple[tuple[str, Any, Any], ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class UnmatchedEvent:
    """An event that no step is, from a state that the design may be in.

    `state` is its number among the `states` of the report, from 1. `tried` is empty if no action
    has what the event tells, as `why` says then; `more` counts steps that are left out.
    """

    place: str
    text: str
    state: int
    tried: tuple[TriedStep, ...]
    more: int = 0
    why: str = ""


@dataclass(frozen=True)
class ValidatedLog:
    """Whether logs are a behaviour of a design.

    `verdict` is "passed" or "failed". `matched` is the number of events, of `events`, that are a
    behaviour; `trace` is one such behaviour, and `labels` has for each of its steps the place of
    its event, empty for a silent step. `possible` is the number of states that the design may be in
    then, `widest` the greatest number at any time. `states` are some of the former, the fields as
    text, and `unmatched` says why each next event is no step from them. `unknown` are silent
    actions of the binding that the design lacks.
    """

    verdict: str
    design: str
    constants: dict[str, Value]
    binding: Path
    logs: tuple[Path, ...]
    events: int
    matched: int
    possible: int
    widest: int
    trace: Trace
    labels: tuple[str, ...]
    states: tuple[dict[str, str], ...]
    unmatched: tuple[UnmatchedEvent, ...]
    unknown: tuple[str, ...]
    engine: str
    seconds: float


class LogValidator:
    """Validates logs by the binding in a file; what is known of the design's steps is kept.

    The engine computes steps; `auto` is native code where the design compiles. Raises UsageError
    for a binding that cannot be read or does not fit.
    """

    def __init__(self, design: Design, file: Path, engine: LogEngine = "auto") -> None:
        self.design = design
        self.file = file
        self.binding = read_log_binding(file)
        self.binding.refuse_unfit(design)
        self.known = _known_steps(design, engine)

    def validated(self, logs: Sequence[Path], progress: LogProgress | None = None) -> ValidatedLog:
        """Whether the events of logs, of several nodes or of one, are a behaviour of the design.

        Raises UsageError for a log that cannot be read.
        """
        started = time.monotonic()
        search = LogSearch(self.binding, read_logs(logs, self.binding), self.known)
        found = search.run(progress or (lambda done, total: None))
        best = found.last[0]
        trace, labels = _behaviour(search, found, best)
        explained = () if found.accepted else found.last[:MOST_STATES]
        explainer = _EventExplainer(search)
        unmatched = [
            each
            for number, reached in enumerate(explained, 1)
            for each in explainer.unmatched(reached, number)
        ]
        return ValidatedLog(
            verdict="passed" if found.accepted else "failed",
            design=self.design.name,
            constants=dict(self.design.values),
            binding=self.file,
            logs=tuple(logs),
            events=search.size,
            matched=sum(best.positions),
            possible=len(found.last),
            widest=found.widest,
            trace=trace,
            labels=labels,
            states=tuple(_written(search, reached.key) for reached in explained),
            unmatched=tuple(unmatched),
            unknown=tuple(name for name in self.binding.silent if name not in search.actions),
            engine="native" if isinstance(self.known, KernelSteps) else "interpret",
            seconds=time.monotonic() - started,
        )


def _known_steps(design: Design, engine: LogEngine) -> KnownSteps:
    interpreter = Interpreter.of(design.spec)
    if engine == "interpret" or (engine == "auto" and isinstance(design.spec, Interpreted)):
        return InterpretedSteps(interpreter)
    if isinstance(design.spec, Interpreted):
        raise UsageError("the steps of a TLA+ module are evaluated: leave out --engine native")
    try:
        return KernelSteps(interpreter)
    except SpecError:
        if engine == "native":
            raise
        return InterpretedSteps(interpreter)


def _behaviour(search: LogSearch, found: Searched, last: Reached) -> tuple[Trace, tuple[str, ...]]:
    """The behaviour that leads to a state, and the places of the events of its steps."""
    way = found.way(last)
    states = [search.known.state(way[0][0].key)]
    steps: list[Step] = []
    labels: list[str] = []
    for reached, came in way[1:]:
        assert came is not None
        if came.binding is None:
            continue
        before = came.before
        steps.append(search.interpreter.step(came.binding, search.known.state(before.key)))
        states.append(search.known.state(reached.key))
        log = came.log
        labels.append("" if log is None else search.logs[log][before.positions[log]].place)
    return Trace(tuple(states), tuple(steps)), tuple(labels)


def _written(search: LogSearch, key: Any) -> dict[str, str]:
    """The fields of a state as text."""
    state, write = search.known.state(key), search.notation.value
    return {name: write(getattr(state, name)) for name in search.interpreter.domain.fields}


class _EventExplainer:
    """Says why events are no steps."""

    def __init__(self, search: LogSearch) -> None:
        self.search = search
        self.interpreter = search.interpreter
        self.sentences = Sentences(search.notation)

    def unmatched(self, reached: Reached, number: int) -> Iterator[UnmatchedEvent]:
        """The next events, none of which is a step from a state."""
        search = self.search
        for _, event in search.next_events(reached):
            if not event.what.actions:
                differing = self._differing(event, reached.key)
                tried = [TriedStep("", differing=differing)]
            else:
                numbers = sorted(search.bindings(event, reached.key))
                outcomes = dict(self.interpreter.outcomes(search.known.state(reached.key)))
                tried = [self._tried(event, n, reached.key, outcomes.get(n)) for n in numbers]
                tried.sort(key=lambda each: (len(each.false), bool(each.failure)))
            more = max(0, len(tried) - MOST_TRIED)
            why = "" if tried else self._missing(event)
            yield UnmatchedEvent(
                event.place, event.text, number, tuple(tried[:MOST_TRIED]), more, why
            )

    def _missing(self, event: LoggedEvent) -> str:
        """Why an event cannot be a step in any state."""
        if event.kind not in self.search.foreign:
            return "no action has parameters with these values"
        names = event.what.actions
        hint = suggestion(names[0], self.search.actions)
        return f"the design has no action {' or '.join(names)}{hint}"

    def _tried(self, event: LoggedEvent, number: int, key: Any, after: Any) -> TriedStep:
        """A step by a binding to a state; to a failure, or to None if it is not enabled."""
        state = self.search.known.state(key)
        name = Notation().step(self.search.step(number, key))
        if isinstance(after, SpecFailure):
            return TriedStep(name, failure=after.message)
        if after is None:
            guards = self.interpreter.guarded(number, state).false
            return TriedStep(name, tuple(self.sentences.why(guard.why) for guard in guards))
        reached = self.search.known.key(after)
        return TriedStep(name, differing=self._differing(event, reached))

    def _differing(self, event: LoggedEvent, key: Any) -> tuple[tuple[str, Any, Any], ...]:
        found = self.search.differences(event, key)
        return tuple((name, *both) for name, both in found.items())
