"""Finds out whether logs are a behaviour of a design.

The states that the design may be in after so many events are kept as a set. An event leads from
each of them by the steps that it may be, to the states that look as it tells. Where several logs
leave the order of events open, a member of the set has with its state the events of each log that
have happened. So no order is tried twice.

Source: Markus A. Kuppe and others, Validating Traces of Distributed Programs Against TLA+
Specifications (SEFM 2024), which has TLC search for such a behaviour.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from specmodel.behaviour.steps import Interpreter
from specmodel.conformance.logs.binding import (
    NOT_TOLD,
    LogBinding,
    actions_of,
    run_of_binding,
    told,
)
from specmodel.conformance.logs.known_steps import KnownSteps
from specmodel.conformance.logs.reading import EventLog, LoggedEvent
from specmodel.dataclass import dataclass
from specmodel.domains import FreeValue, Position
from specmodel.domains.shapes import is_mapping, is_sequence, is_set
from specmodel.errors import UsageError
from specmodel.model.model import Interpreted, Rule
from specmodel.results import Step
from specmodel.traces.notation import Notation

LogProgress = Callable[[int, int], None]
"""Takes the number of events that are matched, and of all."""

PROGRESS_SECONDS = 0.2
"""The time between two reports of progress."""

Signature = tuple[str, str]
"""What an event tells of its step: its kind, and values of parameters as JSON."""


class Reached(NamedTuple):
    """A state that the design may be in after some events of each log."""

    positions: tuple[int, ...]
    key: Any


class Came(NamedTuple):
    """How a state is reached: from another one by a binding (None: by no step), and the event of
    this log (None: by a silent step)."""

    before: Reached
    binding: int | None
    log: int | None


@dataclass(frozen=True)
class Searched:
    """What a search found: `last` are the states after as many events as could be matched.

    `came` has for each state that was reached how; None for an initial one. `widest` is the
    greatest number of states at a time.
    """

    last: Sequence[Reached]
    came: Mapping[Reached, Came | None]
    widest: int
    accepted: bool

    def way(self, to: Reached) -> list[tuple[Reached, Came | None]]:
        """The states on the way to a state, the initial one first, and how each is reached."""
        found = [(to, self.came[to])]
        while (came := found[-1][1]) is not None:
            found.append((came.before, self.came[came.before]))
        return found[::-1]


class LogSearch:
    """Searches for the behaviours of a design that have the events of some logs."""

    def __init__(self, binding: LogBinding, logs: Sequence[EventLog], known: KnownSteps) -> None:
        self.binding = binding
        self.logs = logs
        self.known = known
        self.interpreter: Interpreter = known.interpreter
        self.notation = Notation.of_spec(self.interpreter.spec)
        self.actions = actions_of(self.interpreter.spec)
        self.foreign = {
            kind
            for kind, what in binding.by_kind.items()
            if what.actions and not any(name in self.actions for name in what.actions)
        }
        """The kinds of events whose actions are all of other designs."""
        self._looks: dict[Any, Mapping[str, Any]] = {}
        self._allowed: dict[Signature, frozenset[int]] = {}

    @property
    def size(self) -> int:
        """The number of events of all logs."""
        return sum(map(len, self.logs))

    def run(self, progress: LogProgress) -> Searched:
        """Searches to the last event, or to one that cannot be matched."""
        start = (0,) * len(self.logs)
        level = list(dict.fromkeys(Reached(start, key) for key in self.known.initial()))
        came: dict[Reached, Came | None] = dict.fromkeys(level)
        widest, shown = 0, time.monotonic()
        for done in range(self.size + 1):
            level = self._with_silent(level, came)
            widest = max(widest, len(level))
            following: list[Reached] = []
            for reached in level:
                for found, how in self._after(reached):
                    if found not in came:
                        came[found] = how
                        following.append(found)
            if not following:
                return Searched(level, came, widest, done == self.size)
            level = following
            if (now := time.monotonic()) - shown > PROGRESS_SECONDS:
                shown = now
                progress(done, self.size)
        raise AssertionError("there is an event after the last")

    def _with_silent(self, level: list[Reached], came: dict[Reached, Came | None]) -> list[Reached]:
        """Some states, and those to which a few silent steps lead from them."""
        found, fresh = list(level), level
        self.known.prepare([reached.key for reached in fresh])
        for _ in range(self.binding.most_silent if self.binding.silent else 0):
            fresh = list(self._silently(fresh, came))
            self.known.prepare([reached.key for reached in fresh])
            found += fresh
        return found

    def _silently(
        self, level: Sequence[Reached], came: dict[Reached, Came | None]
    ) -> Iterator[Reached]:
        for reached in level:
            for number, key in self.known.steps(reached.key):
                after = Reached(reached.positions, key)
                if after not in came and self._is_silent(number, reached.key):
                    came[after] = Came(reached, number, None)
                    yield after

    def _is_silent(self, number: int, key: Any) -> bool:
        return self.named(self.rule(number, key), self.binding.silent)

    def next_events(self, reached: Reached) -> Iterator[tuple[int, LoggedEvent]]:
        """The events that may come next: of each log the first that no other has to precede."""
        for number, log in enumerate(self.logs):
            at = reached.positions[number]
            if at < len(log):
                event = log[at]
                needs = event.needs or reached.positions
                if all(n <= has for n, has in zip(needs, reached.positions, strict=True)):
                    yield number, event

    def _after(self, reached: Reached) -> Iterator[tuple[Reached, Came]]:
        """The states after the next event."""
        for log, event in self.next_events(reached):
            positions = tuple(at + (n == log) for n, at in enumerate(reached.positions))
            what = event.what
            still = what.may_be_no_step and event.kind not in self.foreign
            if (still or not what.actions) and self.agrees(event, reached.key):
                yield Reached(positions, reached.key), Came(reached, None, log)
            if not what.actions:
                continue
            allowed = self.bindings(event, reached.key)
            for number, key in self.known.steps(reached.key):
                if number in allowed and self.agrees(event, key):
                    yield Reached(positions, key), Came(reached, number, log)

    # What an event says

    def agrees(self, event: LoggedEvent, key: Any) -> bool:
        """Whether a state looks as an event tells."""
        return not self.differences(event, key)

    def differences(self, event: LoggedEvent, key: Any) -> dict[str, tuple[Any, Any]]:
        """The observations that differ: what the state has, and what the event tells."""
        looks = self._look(key)
        where = event.what.seen or {name: name for name in looks}
        found: dict[str, tuple[Any, Any]] = {}
        for name, place in where.items():
            says = told(event.event, place)
            if name not in looks:
                raise UsageError(
                    f'the binding\'s observed gives no "{name}", of event {event.kind}'
                )
            if says is not NOT_TOLD and looks[name] != _plain(says):
                found[name] = looks[name], says
        return found

    def _look(self, key: Any) -> Mapping[str, Any]:
        if key not in self._looks:
            found: Mapping[str, Any] = {}
            if self.binding.observed is not None:
                found = run_of_binding(self.binding.observed, self.known.state(key))
            self._looks[key] = {name: _plain(value) for name, value in found.items()}
        return self._looks[key]

    def bindings(self, event: LoggedEvent, key: Any) -> Collection[int]:
        """The bindings that an event may be a step of, enabled in a state or not."""
        if not self._alike:
            numbers = self.interpreter.numbers_in(self.known.state(key))
            return self._fitting(numbers, key, event, self._said(event))
        says = self._said(event)
        signature = event.kind, json.dumps(says)
        if signature not in self._allowed:
            numbers = range(len(self.interpreter.bindings))
            self._allowed[signature] = self._fitting(numbers, key, event, says)
        return self._allowed[signature]

    @cached_property
    def _alike(self) -> bool:
        """Whether bindings are the same in all states: none picks a value of the state."""
        if isinstance(self.interpreter.spec, Interpreted):
            return False
        held = (value for _, values in self.interpreter.bindings for value in values)
        return not any(isinstance(value, Position) for value in held)

    def _fitting(
        self, numbers: Iterable[int], key: Any, event: LoggedEvent, says: Mapping[str, Any]
    ) -> frozenset[int]:
        """The bindings, of some, of the actions of an event with what it says of parameters."""

        def fits(number: int) -> bool:
            return all(
                says[name] in (_plain(value), self.notation.value(value))
                for name, value in self.step(number, key).arguments.items()
                if name in says
            )

        named = (n for n in numbers if self.named(self.rule(n, key), event.what.actions))
        return frozenset(filter(fits, named))

    def _said(self, event: LoggedEvent) -> Mapping[str, Any]:
        """What an event tells of parameters."""
        where = event.what.arguments
        if where is None:
            named = [r for r in self.interpreter.spec.rules if self.named(r, event.what.actions)]
            where = {name: name for rule in named for name in rule.parameters}
        said = {name: told(event.event, place) for name, place in where.items()}
        return {name: _plain(value) for name, value in said.items() if value is not NOT_TOLD}

    def named(self, rule: Rule, names: Collection[str]) -> bool:
        """Whether an action has one of some names, or is of such a kind."""
        return rule.name in names or self.interpreter.spec.kind_of(rule) in names

    def rule(self, number: int, key: Any) -> Rule:
        """The action of a binding."""
        if self._alike:
            return self.interpreter.bindings[number][0]
        return self.interpreter.rule_of(number, self.known.state(key))

    def step(self, number: int, key: Any) -> Step:
        """A binding as a step from a state."""
        if self._alike:
            return self.interpreter.plain_step(number, None)
        return self.interpreter.step(number, self.known.state(key))


def _plain(value: Any) -> Any:
    """A value as JSON has it, so that it can be compared with what a log tells."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, FreeValue):
        return value.plain()
    if is_mapping(value):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if is_set(value):
        return sorted(map(_plain, value), key=repr)
    if is_sequence(value):
        return [_plain(item) for item in value]
    return Notation().value(value)
