"""Plays a trace: performs, allows, observes, and judges.

The player knows neither the stage nor the subject. The binding says who does an action and what a
state looks like from outside.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from specmodel.analysis.rival import Rival
from specmodel.behaviour.refinement import why_false
from specmodel.conformance.binding import PlayBinding, Sign, SinceStep
from specmodel.conformance.plays import TraceToPlay
from specmodel.conformance.protocol import PlayedSubject, Stage, StageFailed, SubjectGone
from specmodel.conformance.verdicts import (
    BrokenProperty,
    DoneInstead,
    Play,
    PlayedStep,
    PlayVerdict,
    SubjectParting,
)
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import DomainError, SpecmodelError, described
from specmodel.results import Step
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences

EVERY = 0.02
"""Seconds between two observations while a step is awaited."""

Marks = tuple[int, int]
"""The numbers of events of the stage and of the subject at some time."""

MOST_INSTEAD = 4
"""The greatest number of steps that are named as explanations of what was seen."""


class Player:
    """Plays traces of a design by a binding."""

    def __init__(self, design: Design, binding: PlayBinding, *, free: bool = False) -> None:
        """`free`: the stage makes its steps, and the subject does as it likes.

        Raises UsageError if the binding does not fit the design.
        """
        self.free = free
        binding.refuse_unfit(design)
        self.design = design
        self.binding = binding
        self.rival = Rival(design)
        self.write = Notation().step
        self.sentences = Sentences(Notation.of_spec(design.spec))
        self.properties = design.stated(binding.properties) if binding.properties else ()

    async def play(self, trace: TraceToPlay, stage: Stage, subject: PlayedSubject) -> Play:
        """Plays a trace once. The stage is closed and the subject stopped at the end."""
        running = _RunningPlay(self, trace, stage, subject)
        reason = ""
        try:
            await running.run()
        except (SubjectGone, StageFailed) as wrong:
            reason = str(wrong)
        except SpecmodelError:
            raise
        except Exception as wrong:
            reason = f"the binding failed: {described(wrong)}"
        finally:
            told = tuple(subject.told())
            try:
                await subject.stop()
            finally:
                await stage.close()
        return running.judged(reason, told)

    def role(self, step: Step) -> tuple[str, Sign | None]:
        """Who does a step, and how it is seen if the subject does it."""
        kind = self.rival.kinds[step.action]
        role = self.binding.role(step.action, kind)
        return role, self.binding.sign(step.action, kind) if role == "signs" else None

    def instead(self, before: Any, seen: Mapping[str, Any]) -> tuple[DoneInstead, ...]:
        """The steps from a state that give what was seen, with the guards that are false."""
        found: list[DoneInstead] = []
        for number in range(len(self.rival.interpreter.bindings)):
            attempt = self.rival.attempt(number, before)
            effect = attempt.guarded.effect
            if effect is None or not agrees(self.binding.observed(effect), seen):
                continue
            false = tuple(self.sentences.why(guard.why) for guard in attempt.guarded.false)
            found.append(DoneInstead(self.write(attempt.step), false))
        found.sort(key=lambda held: len(held.false))
        return tuple(found[:MOST_INSTEAD])

    def broken(self, *states: Any) -> BrokenProperty | None:
        """The first invariant that is false of a rebuilt state, or transition property of two."""
        for rule in self.properties:
            if rule.states != len(states) or self.rival.interpreter.holds(rule, *states):
                continue
            why = why_false(self.rival.interpreter, rule, states)
            return BrokenProperty(rule.name, self.sentences.why(why))
        return None

    def rebuilt(self, state: Any, seen: Mapping[str, Any]) -> Any | None:
        """The state with what was seen in it; None if that is no state of the design."""
        assert self.binding.rebuilt is not None
        copy = self.design.spec.domain.copy(state)
        try:
            self.binding.rebuilt(copy, seen)
        except DomainError:
            return None
        return copy


def agrees(expected: Mapping[str, Any], seen: Mapping[str, Any]) -> bool:
    """Whether all that was seen, of the names expected, is as expected."""
    return all(seen[name] == value for name, value in expected.items() if name in seen)


def common(expected: Mapping[str, Any], seen: Mapping[str, Any]) -> dict[str, Any]:
    """The expected values of the names that were seen."""
    return {name: value for name, value in expected.items() if name in seen}


@dataclass(frozen=True)
class _Found:
    """The finding about a step: the expected step, its evidence, and what contradicts it."""

    agreed: bool
    signed: bool = True
    contrary: str = ""


_FULL = _Found(True)


@dataclass
class _RunningPlay:
    """The state of one play."""

    player: Player
    trace: TraceToPlay
    stage: Stage
    subject: PlayedSubject
    started: float = field(default_factory=time.monotonic)
    steps: list[PlayedStep] = field(default_factory=list[PlayedStep])
    parting: SubjectParting | None = None
    broken: BrokenProperty | None = None
    shown: bool = False
    """Whether a change that the trace expects was seen."""
    unjudged: str = ""
    last: Any = None
    """The last rebuilt state, for transition properties."""

    @property
    def binding(self) -> PlayBinding:
        return self.player.binding

    async def run(self) -> None:
        states = self.trace.trace.states
        await self.stage.open(states[0])
        self.stage.subject = self.subject
        await self.subject.start(self.stage)
        await self.stage.meet(self.subject)
        if self.player.free:
            self.shown = True
            await self._note(1, "", "", states[0])
        elif not await self._until_agreed(states[0]):
            await self._part(1, "", states[0], states[0], _Found(False))
        else:
            await self._rebuild(states[0])
        await self._nudge(0)
        for index, step in enumerate(self.trace.trace.steps, start=1):
            if self.parting is not None and not self.binding.goes_on:
                break
            await self._step(index, step)
            if self.parting is None or self.binding.goes_on:
                await self._nudge(index)
        await self._end()

    async def _step(self, index: int, step: Step) -> None:
        before, after = self.trace.trace.states[index - 1 : index + 1]
        (role, sign), mark = self.player.role(step), self._marks()
        if self.player.free:
            if role == "performs":
                await self.stage.perform(step, before, after)
                await self._note(index + 1, self.player.write(step), role, after)
            return
        if role == "performs":
            await self.stage.perform(step, before, after)
        else:
            await self.stage.allow(step, before, after)
        if self.parting is not None:
            if role != "performs":
                await asyncio.sleep(self.binding.quiet_seconds)
            await self._note(index + 1, self.player.write(step), role, after)
            return
        changes = self.binding.observed(before) != self.binding.observed(after)
        if role == "signs" and sign is None and not changes:
            self.unjudged = (
                f"step {index + 1}, {self.player.write(step)}, changes nothing that is observed,"
                " and the binding has no sign for it"
            )
        elif not changes:
            await asyncio.sleep(self.binding.still_seconds)
        found = await self._awaited(step, before, after, sign, mark)
        await self._note(index + 1, self.player.write(step), role, after)
        if found != _FULL:
            text = self.player.write(step)
            await self._part(index + 1, text, before, after, found)
            return
        self._look_for_change(before, after)
        await self._rebuild(after)

    async def _awaited(
        self, step: Step, before: Any, after: Any, sign: Sign | None, mark: Marks
    ) -> _Found:
        """The finding about a step, once all of it was observed, or its time is over."""
        expected, contrary = self.binding.observed(after), self.binding.contrary
        end = time.monotonic() + self.binding.step_seconds
        while True:
            seen = await self._seen()
            since = SinceStep(step, before, after, self._events(mark), seen)
            found = _Found(
                agrees(expected, seen),
                sign is None or bool(sign(since)),
                contrary(since) if contrary is not None else "",
            )
            if found == _FULL or found.contrary or time.monotonic() >= end:
                return found
            await asyncio.sleep(EVERY)

    async def _until_agreed(self, state: Any) -> bool:
        end = time.monotonic() + self.binding.step_seconds
        expected = self.binding.observed(state)
        while not (agreed := agrees(expected, await self._seen())) and time.monotonic() < end:
            await asyncio.sleep(EVERY)
        await self._note(1, "", "", state)
        return agreed

    async def _nudge(self, after: int) -> None:
        state = self.trace.trace.states[after]
        for what in self.trace.nudges.get(after, ()):
            mark = self._marks()
            await self.stage.nudge(what)
            await asyncio.sleep(self.binding.still_seconds)
            await self._note(after + 1, what, "stage", state)
            if self.parting is None and not self.player.free:
                await self._still_agrees(after + 1, what, state, mark)

    async def _end(self) -> None:
        """Waits for anything more, then lets the subject go on and evaluates the invariants."""
        states = self.trace.trace.states
        last, mark = states[-1], self._marks()
        await asyncio.sleep(self.binding.quiet_seconds)
        if self.parting is None and not self.player.free:
            await self._still_agrees(len(states) + 1, "", last, mark)
        elif self.parting is not None and not self.binding.goes_on:
            last = states[min(self.parting.number, len(states)) - 1]
        await self.stage.release(last)
        settled = await self._settled()
        await asyncio.sleep(self.binding.quiet_seconds)
        if not settled:
            self.broken = None
            self.unjudged = "the subject did not go on after the trace: it may have lost or not"
        elif self.player.properties and self.broken is None:
            rebuilt = self.player.rebuilt(last, await self._seen())
            if rebuilt is not None:
                self.broken = self.player.broken(rebuilt)
            elif self.parting is None:
                self.unjudged = "what was seen in the end is no state of the design"

    async def _settled(self) -> bool:
        """Whether the subject goes on to the end of what the stage offers, within a step's time."""
        settled = self.binding.settled
        end = time.monotonic() + self.binding.step_seconds
        while settled is not None and not settled(await self._seen()):
            if time.monotonic() >= end:
                return False
            await asyncio.sleep(EVERY)
        return True

    async def _still_agrees(self, number: int, what: str, state: Any, mark: Marks) -> None:
        """Notes a parting if the subject has left the state without a step of the trace."""
        seen, contrary = await self._seen(), self.binding.contrary
        since = SinceStep(Step("", {}), state, state, self._events(mark), seen)
        found = _Found(
            agrees(self.binding.observed(state), seen),
            contrary=contrary(since) if contrary is not None else "",
        )
        if found != _FULL:
            await self._part(number, what, state, state, found)

    async def _rebuild(self, state: Any) -> None:
        """Evaluates the transition properties of the step between two rebuilt states."""
        if not self.player.properties:
            return
        rebuilt = self.player.rebuilt(state, await self._seen())
        if self.broken is None and self.last is not None and rebuilt is not None:
            self.broken = self.player.broken(self.last, rebuilt)
        self.last = rebuilt

    async def _part(
        self,
        number: int,
        step: str,
        before: Any,
        after: Any,
        found: _Found,
    ) -> None:
        seen, expected = await self._seen(), self.binding.observed(after)
        still = agrees(self.binding.observed(before), seen)
        differing = [name for name, value in expected.items() if seen.get(name, value) != value]
        self.parting = SubjectParting(
            number,
            step,
            {name: expected[name] for name in differing},
            {name: seen[name] for name in differing},
            not found.signed,
            still,
            found.contrary,
            () if still else self.player.instead(before, seen),
        )
        await self._rebuild(after)
        await self.stage.let_go()
        if self.binding.goes_on:
            await asyncio.sleep(self.binding.quiet_seconds)

    def _look_for_change(self, before: Any, after: Any) -> None:
        held = self.steps[-1].seen
        names = held.keys() & self.binding.observed(after).keys()
        was, now = self.binding.observed(before), self.binding.observed(after)
        self.shown = self.shown or any(was.get(name) != now[name] for name in names)

    async def _seen(self) -> dict[str, Any]:
        return {**await self.stage.observe(), **await self.subject.observe()}

    async def _note(self, number: int, step: str, role: str, state: Any) -> None:
        seen = await self._seen()
        expected = self.binding.observed(state)
        self.steps.append(
            PlayedStep(
                number,
                step,
                role,
                expected,
                common(seen, expected),
                len(self.stage.events) + len(self.subject.events),
                time.monotonic() - self.started,
            )
        )

    def _marks(self) -> Marks:
        return len(self.stage.events), len(self.subject.events)

    def _events(self, mark: Marks) -> Sequence[Mapping[str, Any]]:
        return [*self.stage.events[mark[0] :], *self.subject.events[mark[1] :]]

    def judged(self, reason: str, told: tuple[str, ...]) -> Play:
        """The verdict of the play. Never `followed` if nothing was observed."""
        reason = reason or ("" if self.parting or told else self.unjudged)
        if not (reason or self.parting or told or self.broken or self.shown):
            reason = "no step of the trace changed anything that was observed"
        verdict: PlayVerdict = "followed"
        if reason:
            verdict = "incomparable"
        elif told:
            verdict = "told"
        elif self.broken:
            verdict = "lost"
        elif self.parting:
            verdict = "parted"
        events = [("stage", event) for event in self.stage.events]
        events += [("subject", event) for event in self.subject.events]
        events.sort(key=lambda held: held[1]["at"])
        transcript = [{"of": of, **e, "at": round(e["at"] - self.started, 3)} for of, e in events]
        return Play(
            verdict,
            tuple(self.steps),
            self.parting,
            told,
            self.broken,
            reason,
            time.monotonic() - self.started,
            tuple(transcript),
            self.player.free,
        )
