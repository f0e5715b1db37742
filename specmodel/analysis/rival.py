"""Replays a behaviour of one design on another, to the first step that cannot happen there.

Steps are matched by kind and by the arguments that both designs have. One design may do in two
steps what another does in one: a follower may truncate when it learns of its leader, or later, when
it fetches. So a step of a kind that the rival lacks is skipped if the rival's state already has its
effect, and the rival may take steps of kinds that only it has in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from specmodel.analysis.recording import RecordedMove, Recording, kinds_of, values_of
from specmodel.behaviour.formulas import is_temporal
from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.domains import Position
from specmodel.errors import UsageError
from specmodel.ir.guards import Guarded
from specmodel.ir.origins import within
from specmodel.model.model import Rule
from specmodel.results import DEADLOCK, Step, Trace
from specmodel.traces.changes import Change, changes
from specmodel.traces.notation import Notation

MOST_BETWEEN = 3
"""The greatest number of own steps that a rival may take between two of the recording."""

MOST_BEFORE = 2
"""The greatest number of steps searched for a way to enable a blocked step."""


@dataclass(frozen=True)
class Moment:
    """A step of a replay.

    `move` is the recording's, with the number of the recorded state that it led to; None for a step
    that the rival takes in between. `step` is the rival's; None if its state already has the effect
    of the move.
    """

    number: int
    move: RecordedMove | None
    step: Step | None


@dataclass(frozen=True)
class Attempt:
    """A binding of the rival that would be the wanted step, and the guards that it evaluated."""

    step: Step
    guarded: Guarded


@dataclass(frozen=True)
class Blocked:
    """The first move that cannot happen on the rival; `number` is the state that it led to.

    `attempts` are the rival's bindings of that kind and those arguments; empty if it has no action
    of the kind. `instead` are all steps that it can take, `first` the fewest steps after which it
    could follow (empty: none known).
    """

    number: int
    move: RecordedMove
    attempts: tuple[Attempt, ...]
    instead: tuple[Step, ...]
    first: tuple[Step, ...]


@dataclass(frozen=True)
class Parting:
    """The first state in which the rival differs from the recording, and the differences.

    A change's `before` is the recording's value, its `after` the rival's. `number` is the state's,
    from 1.
    """

    number: int
    differences: tuple[Change, ...]


@dataclass(frozen=True)
class Replayed:
    """The result of a replay.

    `trace` is the rival's behaviour as far as it came, `moments` its steps beside those of the
    recording. `blocked` is None if the rival could follow every move. `parting` is None if the
    states were the same throughout. `violates` says whether the rival's behaviour ends in a
    violation of the recording's property (of a reachable property: meets it); None if the rival has
    no such property or did not come to the end.
    """

    recording: Recording
    design: Design
    trace: Trace
    moments: tuple[Moment, ...]
    blocked: Blocked | None
    parting: Parting | None
    violates: bool | None


def replay(recording: Recording, design: Design) -> Replayed:
    """Replays a recording on a design.

    Raises UsageError if the states of the two have nothing in common, SpecFailure if the spec
    itself fails on the way.
    """
    return _Follower(recording, design).replayed()


class Rival:
    """A design's transition relation, queried by kind of action and arguments as text."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.spec = design.spec
        self.interpreter = Interpreter.of(design.spec)
        self.kinds = kinds_of(design.spec)

    def bindings(self, kind: str, arguments: Mapping[str, str], state: Any) -> tuple[int, ...]:
        """The numbers of the bindings of a kind, or name, that have these arguments in a state.

        Arguments that the action does not have are ignored.
        """
        found: list[int] = []
        for number in self.interpreter.numbers_in(state):
            name = self.interpreter.rule_of(number, state).name
            if kind not in (name, self.kinds[name]):
                continue
            texts = self._texts(self.interpreter.plain_step(number, state))
            if all(texts.get(name, text) == text for name, text in arguments.items()):
                found.append(number)
        return tuple(found)

    def _texts(self, step: Step) -> dict[str, str]:
        """The arguments of a step as text. Positions are left out: a rival may hold the value that
        a recorded step picked elsewhere.
        """
        write, held = Notation().value, step.arguments
        return {n: write(value) for n, value in held.items() if not isinstance(value, Position)}

    def explored(self, state: Any) -> bool:
        """Whether a search expands a state: every state constraint holds."""
        return self.interpreter.inside(state)

    def successors(self, state: Any) -> Iterator[tuple[int, Any]]:
        """The enabled bindings with their successors; none if the state violates a constraint."""
        if self.explored(state):
            for number, successor in self.interpreter.successors(state):
                yield number, self.spec.domain.copy(successor)

    def attempt(self, number: int, state: Any) -> Attempt:
        """The guards of a binding in a state."""
        guarded = self.interpreter.guarded(number, state)
        return Attempt(self.interpreter.step(number, state), guarded)

    def route(
        self,
        state: Any,
        most: int,
        allowed: Callable[[Rule], bool],
        goal: Callable[[Any], bool],
    ) -> list[tuple[int, Any]] | None:
        """The fewest steps of allowed actions, at most `most`, from a state to a goal."""
        paths: list[list[tuple[int, Any]]] = [[]]
        seen: list[Any] = [state]
        for _ in range(most):
            longer: list[list[tuple[int, Any]]] = []
            for path in paths:
                before = path[-1][1] if path else state
                for number, successor in self.successors(before):
                    rule = self.interpreter.rule_of(number, before)
                    if not allowed(rule) or successor in seen:
                        continue
                    seen.append(successor)
                    longer.append([*path, (number, successor)])
                    if goal(successor):
                        return longer[-1]
            paths = longer
        return None


class _Follower:
    """Replays one recording on one rival."""

    def __init__(self, recording: Recording, design: Design) -> None:
        self.recording = recording
        self.rival = Rival(design)
        self.wanted = [
            values_of(state, design.spec, f"state {number} of {recording.design}")
            for number, state in enumerate(recording.states, start=1)
        ]
        self.own = {
            name
            for name, kind in self.rival.kinds.items()
            if recording.kinds and kind not in recording.kinds
        }
        self.states: list[Any] = [self._start()]
        self.moments: list[Moment] = []
        self.parting: Parting | None = None

    def replayed(self) -> Replayed:
        self._compare(0)
        blocked: Blocked | None = None
        for index, move in enumerate(self.recording.moves, start=1):
            blocked = self._follow(index, move)
            if blocked is not None:
                break
            self._compare(index)
        taken = tuple(m.step for m in self.moments if m.step is not None)
        return Replayed(
            self.recording,
            self.rival.design,
            Trace(tuple(self.states), taken),
            tuple(self.moments),
            blocked,
            self.parting,
            None if blocked else self._violates(),
        )

    def _start(self) -> Any:
        starts = list(self.rival.interpreter.initial())
        if not starts:
            raise UsageError(f"{self.rival.design.name} has no initial state")
        return min(starts, key=lambda s: len(self._differences(0, s)))

    def _follow(self, index: int, move: RecordedMove) -> Blocked | None:
        """Makes a move of the recording on the rival, or explains why it cannot be made."""
        matching = self._matching(move, self.states[-1])
        if not matching:
            if not self._done(index):
                return self._blocked(index, move, ())
            self.moments.append(Moment(index + 1, move, None))
            return None
        possible = self._possible(matching, self.states[-1])
        if not possible:
            route = self._own_route(lambda s: bool(self._moves(move, s)))
            if route is None:
                return self._blocked(index, move, matching)
            self._insert(index, route)
            possible = self._moves(move, self.states[-1])
        number, state = min(possible, key=lambda p: len(self._differences(index, p[1])))
        self.states.append(state)
        step = self.rival.interpreter.step(number, self.states[-2])
        self.moments.append(Moment(index + 1, move, step))
        if self._differences(index, state):
            route = self._own_route(lambda s: not self._differences(index, s))
            self._insert(index, route or [])
        return None

    def _matching(self, move: RecordedMove, state: Any) -> tuple[int, ...]:
        return self.rival.bindings(move.kind, move.arguments, state)

    def _moves(self, move: RecordedMove, state: Any) -> list[tuple[int, Any]]:
        """The enabled bindings for a move in a state, with their successors."""
        return self._possible(self._matching(move, state), state)

    def _possible(self, numbers: Sequence[int], state: Any) -> list[tuple[int, Any]]:
        if not self.rival.explored(state):
            return []
        found = [(n, self.rival.interpreter.successor(state, n)) for n in numbers]
        return [(n, successor) for n, successor in found if successor is not None]

    def _own_route(self, goal: Callable[[Any], bool]) -> list[tuple[int, Any]] | None:
        """Steps of kinds that only the rival has, to a state that meets a goal."""
        if not self.own:
            return None
        return self.rival.route(
            self.states[-1], MOST_BETWEEN, lambda rule: rule.name in self.own, goal
        )

    def _insert(self, index: int, route: Sequence[tuple[int, Any]]) -> None:
        for number, state in route:
            step = self.rival.interpreter.step(number, self.states[-1])
            self.states.append(state)
            self.moments.append(Moment(index + 1, None, step))

    def _done(self, index: int) -> bool:
        """Whether the rival's state already has the effect of a move, in the variables it has."""
        before, after = self.wanted[index - 1], self.wanted[index]
        here = self.states[-1].__dict__
        changed = [c for name in after for c in changes(before[name], after[name], name)]
        left = {c.path for name in after for c in changes(after[name], here[name], name)}
        return bool(changed) and not any(
            within(c.path, p) or within(p, c.path) for c in changed for p in left
        )

    def _blocked(self, index: int, move: RecordedMove, matching: Sequence[int]) -> Blocked:
        state = self.states[-1]
        attempts = tuple(self.rival.attempt(number, state) for number in matching)
        step = self.rival.interpreter.step
        steps = (step(n, state) for n, _ in self.rival.successors(state))
        instead = tuple({str(each): each for each in steps}.values())
        route: list[tuple[int, Any]] | None = None
        if matching:
            route = self.rival.route(
                state, MOST_BEFORE, lambda rule: True, lambda s: bool(self._moves(move, s))
            )
        way = [state, *(after for _, after in route or [])]
        first = tuple(step(n, before) for before, (n, _) in zip(way, route or [], strict=False))
        return Blocked(index + 1, move, attempts, instead, first)

    def _differences(self, index: int, state: Any) -> list[Change]:
        """The differences between a recorded state and one of the rival, in common variables."""
        held, wanted = state.__dict__, self.wanted[index]
        return [c for name in wanted for c in changes(wanted[name], held[name], name)]

    def _compare(self, index: int) -> None:
        if self.parting is None:
            found = self._differences(index, self.states[-1])
            if found:
                self.parting = Parting(index + 1, tuple(found))

    def _violates(self) -> bool | None:
        name = self.recording.property
        if name == DEADLOCK:
            return next(self.rival.successors(self.states[-1]), None) is None
        for rule in self.rival.spec.properties:
            if rule.name == name and self.rival.interpreter.about(rule, self.states):
                if is_temporal(rule):
                    return None  # what is replayed ends; a temporal property is about what does not
                return self.rival.interpreter.found(rule, self.states)
        return None
