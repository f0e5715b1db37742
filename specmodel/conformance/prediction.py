"""What a play may come to, by the design that says what its subject does.

The stage's steps are those of the trace. Between two of them the subject takes the steps of its own
design that the stage does not withhold, until it comes to rest: it goes on only among states that
it can always come back to. A state in which the trace expects something else means that the subject
parts from the trace, and that the stage lets go.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.conformance.binding import Sign, SubjectDesign, Withholding
from specmodel.conformance.player import Player, agrees
from specmodel.conformance.plays import TraceToPlay
from specmodel.conformance.verdicts import ALL_ENDS, PlayEnd
from specmodel.dataclass import dataclass
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
        states, run = trace.trace.states, _PredictedPlay(self, trace)
        run.following.withheld.take(states[0], "")
        run.parted.withheld.take(states[0], "")
        run.parted.withheld.let_go()
        run.following.points = {self.point(self._first(states[0]), (), told=False)}
        run.rest(0)
        run.nudge(0)
        for index, step in enumerate(trace.trace.steps, start=1):
            role, sign = self.player.role(step)
            for group in (run.following, run.parted):
                if role == "performs":
                    group.points = {self._performed(step, point) for point in group.points}
                group.withheld.take(states[index], step.action)
            run.rest(index, None if step.action in self.subject.shows else sign)
            run.nudge(index)
        run.end(run.following, states[-1])
        run.end(run.parted, states[-1])
        return tuple(end for end in ALL_ENDS if end in run.ends)

    def _first(self, state: Any) -> Any:
        """The state as one of the subject's design, which has classes of its own."""
        encoded = encode(self.player.design.spec.domain, state)
        first = decode(self.design.spec.domain, encoded, "the first state")
        if first not in self.interpreter.initial():
            raise NoPrediction(f"{self.design.name} does not begin as the trace does")
        return first

    def point(
        self, state: Any, seen: Seen, *, told: bool, signs: frozenset[Sign] = frozenset()
    ) -> _PlayPoint:
        """A point. What was seen before is still seen."""
        held = self.design.spec.domain.copy(state)
        now = {**dict(seen), **self.player.binding.observed(held)}
        return _PlayPoint(held, tuple(sorted(now.items())), told, signs)

    def _performed(self, step: Step, point: _PlayPoint) -> _PlayPoint:
        text = self.player.write(step)
        number = self.interpreter.number_of(text, point.state)
        after = None if number is None else self.interpreter.successor(point.state, number)
        if after is None:
            raise NoPrediction(f"{text} cannot happen in {self.design.name}")
        return self.point(after, point.seen, told=point.told)

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
                yield self.point(after, point.seen, told=told, signs=signs)

    def end(self, point: _PlayPoint, last: Any) -> PlayEnd:
        """The end of a play in a point, if the trace was in its `last` state then."""
        if point.told:
            return "told"
        rebuilt = self.player.rebuilt(last, dict(point.seen))
        return "kept" if rebuilt is None or self.player.broken(rebuilt) is None else "lost"


class _PredictedPlay:
    """The points of those who follow the trace, of those who have parted, and the ends so far."""

    def __init__(self, predictor: Predictor, trace: TraceToPlay) -> None:
        self.predictor, self.trace = predictor, trace
        self.following = _PlayGroup(predictor, predictor.withholding())
        self.parted = _PlayGroup(predictor, predictor.withholding())
        self.ends: set[PlayEnd] = set()

    def nudge(self, index: int) -> None:
        """What the scenario asks of the stage. Signs seen meanwhile count for the next step."""
        following = self.following
        following.points = {replace(point, signs=frozenset()) for point in following.points}
        for what in self.trace.nudges.get(index, ()):
            following.withheld.nudge(what)
            self.parted.withheld.nudge(what)
            self.rest(index)

    def rest(self, index: int, sign: Sign | None = None) -> None:
        """Lets all come to rest. Who is not in the trace's state then, or has not shown the sign of
        the trace's step, has parted: the play is then over, unless it goes on without."""
        state, binding = self.trace.trace.states[index], self.predictor.player.binding
        expected = binding.observed(state)
        self.following.rest()
        gone = {
            point
            for point in self.following.points
            if not agrees(expected, dict(point.seen)) or (sign and sign not in point.signs)
        }
        self.following.points -= gone
        gone = {replace(point, signs=frozenset()) for point in gone}
        if binding.goes_on:
            self.parted.points |= gone
            self.parted.rest()
        elif gone:
            over = _PlayGroup(self.predictor, copy.copy(self.following.withheld), gone)
            over.withheld.let_go()
            over.rest()
            self.end(over, state)

    def end(self, group: _PlayGroup, last: Any) -> None:
        """The stage withholds nothing any more, and the play ends."""
        points = {*group.points}
        group.points.clear()
        for point in points:
            state = self.predictor.design.spec.domain.copy(point.state)
            group.withheld.release(state)
            group.points.add(self.predictor.point(state, point.seen, told=point.told))
        group.rest()
        self.ends |= {self.predictor.end(point, last) for point in group.points}


class _PlayGroup:
    """Points for which a stage withholds the same."""

    def __init__(
        self, predictor: Predictor, withheld: Withholding, points: Iterable[_PlayPoint] = ()
    ) -> None:
        self.predictor, self.withheld = predictor, withheld
        self.points: set[_PlayPoint] = {*points}

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
