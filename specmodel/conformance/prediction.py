"""What a play may come to, by the design that says what its subject does.

The stage's steps are those of the trace. Between two of them the subject takes the steps of its own
design that the stage does not withhold, until it comes to rest: it goes on only among states that
it can always come back to. A state in which the trace expects something else means that the subject
parts from the trace, and that the stage lets go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.conformance.binding import Sign, SubjectDesign, Withholding
from specmodel.conformance.player import Player, agrees
from specmodel.conformance.plays import TraceToPlay
from specmodel.conformance.verdicts import ALL_ENDS, PlayEnd
from specmodel.design import Design
from specmodel.errors import SpecmodelError
from specmodel.results import Step
from specmodel.traces.itf_values import decode, encode

MOST_POINTS = 1_000
"""The greatest number of points between two steps of a trace."""


class NoPrediction(SpecmodelError):  # noqa: N818 - says what there is not
    """The subject's design does not say what a play comes to; the text says why."""


Seen = tuple[tuple[str, Any], ...]
"""Observations by name."""


@dataclass(frozen=True)
class _PlayPoint:
    """A state of the subject's design, what its user has been given by then, whether it was told of
    a loss, and the signs of steps since the last one of the trace."""

    state: Any
    seen: Seen
    told: bool
    signs: frozenset[Sign] = frozenset()


class Predictor:
    """Predicts what a subject makes of traces that a player plays to it."""

    def __init__(
        self,
        player: Player,
        subject: SubjectDesign,
        design: Design,
        withholding: Callable[[], Withholding],
    ) -> None:
        """`design` is the subject's. Raises UsageError if the binding does not fit it."""
        player.binding.refuse_unnamed_actions(design)
        self.player, self.subject, self.design = player, subject, design
        self.withholding = withholding
        self.interpreter = Interpreter(design.spec)
        kinds = {rule.name: design.spec.kind_of(rule) for rule in design.spec.rules}
        binding = player.binding
        self.own = {
            number: binding.sign(rule.name, kinds[rule.name])
            for number, (rule, *_) in enumerate(self.interpreter.bindings)
            if binding.role(rule.name, kinds[rule.name]) != "performs"
        }
        """The subject's steps by number, with their signs."""

    def predicted(self, trace: TraceToPlay) -> tuple[PlayEnd, ...]:
        """The ends that a play of the trace may have.

        Raises NoPrediction if a step of the stage cannot happen in the subject's design, or the
        subject has too many ways.
        """
        states = trace.trace.states
        following, parted = (
            _PlayGroup(self, self.withholding()),
            _PlayGroup(self, self.withholding()),
        )
        following.withheld.take(states[0], "")
        parted.withheld.take(states[0], "")
        parted.withheld.let_go()
        following.points = {self._point(self._first(states[0]), (), told=False)}
        self._rest(following, parted, states[0])
        self._nudge(following, parted, trace, 0)
        for index, step in enumerate(trace.trace.steps, start=1):
            role, sign = self.player.role(step)
            for group in (following, parted):
                if role == "performs":
                    group.points = {self._performed(step, point) for point in group.points}
                group.withheld.take(states[index], step.action)
            shown = None if step.action in self.subject.shows else sign
            self._rest(following, parted, states[index], shown)
            self._nudge(following, parted, trace, index)
        points = self._released(following) | self._released(parted)
        ends = {self._end(point, states[-1]) for point in points}
        return tuple(end for end in ALL_ENDS if end in ends)

    def _first(self, state: Any) -> Any:
        """The state as one of the subject's design, which has classes of its own."""
        encoded = encode(self.player.design.spec.domain, state)
        first = decode(self.design.spec.domain, encoded, "the first state")
        if first not in self.interpreter.initial():
            raise NoPrediction(f"{self.design.name} does not begin as the trace does")
        return first

    def _nudge(
        self, following: _PlayGroup, parted: _PlayGroup, trace: TraceToPlay, index: int
    ) -> None:
        """What the scenario asks of the stage. Signs seen meanwhile count for the next step."""
        following.points = {replace(point, signs=frozenset()) for point in following.points}
        for what in trace.nudges.get(index, ()):
            following.withheld.nudge(what)
            parted.withheld.nudge(what)
            self._rest(following, parted, trace.trace.states[index])

    def _rest(
        self, following: _PlayGroup, parted: _PlayGroup, state: Any, sign: Sign | None = None
    ) -> None:
        """Lets all come to rest. Who is not in the trace's state then, or has not shown the sign of
        the trace's step, has parted."""
        expected = self.player.binding.observed(state)
        following.rest()
        gone = {
            point
            for point in following.points
            if not agrees(expected, dict(point.seen)) or (sign and sign not in point.signs)
        }
        following.points -= gone
        parted.points |= {replace(point, signs=frozenset()) for point in gone}
        parted.rest()

    def _point(
        self, state: Any, seen: Seen, *, told: bool, signs: frozenset[Sign] = frozenset()
    ) -> _PlayPoint:
        copy = self.design.spec.domain.copy(state)
        now = {**dict(seen), **self.player.binding.observed(copy)}
        return _PlayPoint(copy, tuple(sorted(now.items())), told, signs)

    def _performed(self, step: Step, point: _PlayPoint) -> _PlayPoint:
        text = self.player.write(step)
        number = self.interpreter.number_of(text, point.state)
        after = None if number is None else self.interpreter.successor(point.state, number)
        if after is None:
            raise NoPrediction(f"{text} cannot happen in {self.design.name}")
        return self._point(after, point.seen, told=point.told)

    def after(self, point: _PlayPoint, withheld: Withholding) -> Iterator[_PlayPoint]:
        """The points to which the subject may go from one."""
        for number, sign in self.own.items():
            step = self.interpreter.step(number, point.state)
            if not withheld.lets(step, point.state):
                continue
            after = self.interpreter.successor(point.state, number)
            if after is not None:
                told = point.told or self.subject.tells(step, point.state, after)
                signs = point.signs if sign is None else point.signs | {sign}
                yield self._point(after, point.seen, told=told, signs=signs)

    def _released(self, group: _PlayGroup) -> set[_PlayPoint]:
        """The points at rest once the stage withholds nothing any more."""
        points, group.points = group.points, set()
        for point in points:
            state = self.design.spec.domain.copy(point.state)
            group.withheld.release(state)
            group.points.add(self._point(state, point.seen, told=point.told))
        group.rest()
        return group.points

    def _end(self, point: _PlayPoint, last: Any) -> PlayEnd:
        if point.told:
            return "told"
        rebuilt = self.player.rebuilt(last, dict(point.seen))
        return "kept" if rebuilt is None or self.player.broken(rebuilt) is None else "lost"


class _PlayGroup:
    """Points for which a stage withholds the same."""

    def __init__(self, predictor: Predictor, withheld: Withholding) -> None:
        self.predictor, self.withheld = predictor, withheld
        self.points: set[_PlayPoint] = set()

    def rest(self) -> None:
        """Replaces the points by those at which the subject comes to rest.

        A point is at rest if no point that can be reached from it reaches fewer.
        """
        ways: dict[_PlayPoint, set[_PlayPoint]] = {}
        waiting = list(self.points)
        while waiting:
            point = waiting.pop()
            if point in ways:
                continue
            ways[point] = set(self.predictor.after(point, self.withheld))
            waiting += ways[point]
            if len(ways) > MOST_POINTS:
                raise NoPrediction(f"{self.predictor.design.name} has too many ways to go on")
        reached = {point: _reached(point, ways) for point in ways}
        self.points = {
            point
            for point, others in reached.items()
            if all(len(reached[other]) == len(others) for other in others)
        }


def _reached(
    start: _PlayPoint, ways: Mapping[_PlayPoint, Collection[_PlayPoint]]
) -> set[_PlayPoint]:
    """All points that can be reached from one, itself among them."""
    found, waiting = {start}, [start]
    while waiting:
        new = set(ways[waiting.pop()]) - found
        found |= new
        waiting += new
    return found
