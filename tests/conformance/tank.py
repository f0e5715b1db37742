"""A tank with a binding whose subject and stage can be made faulty, for tests of the player."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from specmodel.conformance import (
    PlayBinding,
    PlayedSubject,
    Scenario,
    Stage,
    StageFailed,
    SubjectGone,
)
from specmodel.conformance.player import Player
from specmodel.conformance.plays import TraceToPlay, chosen_traces
from specmodel.conformance.verdicts import Play
from specmodel.design import Design
from specmodel.results import Step
from tests.written import design_of

TEXT = """
class State(Struct):
    level: Annotated[int, Range(0, 3)]
    lost: bool
    alarm: bool

@init
def empty() -> State:
    return State(0, False, False)

@action
def fill(s: State) -> None:
    require(s.level < 2)
    s.level += 1

@action
def drain(s: State) -> None:
    require(s.level > 1)
    s.level -= 1

@action
def leak(s: State) -> None:
    require(s.level > 0 and s.lost)
    s.level -= 1

@action
def warn(s: State) -> None:
    require(s.level == 2 and not s.alarm)
    s.alarm = True

@invariant
def nothing_lost(s: State) -> bool:
    return not (s.lost and s.level == 0)

@transition
def slowly(before: State, after: State) -> bool:
    return after.level - before.level < 2

tank = Spec(state=State, init=empty, actions=[fill, drain, leak, warn],
            invariants=[nothing_lost], transitions=[slowly])
"""


class Tank(PlayedSubject):
    """The tank: it drains by itself when it is allowed to. Faults are switched on by name."""

    def __init__(self, *faults: str) -> None:
        super().__init__()
        self.faults = faults
        self.level = 0
        self.alarm = False
        self.stopped = False
        self.reports: list[str] = []

    async def observe(self) -> Mapping[str, Any]:
        if "dies" in self.faults and self.level == 2:
            raise SubjectGone("the tank burst")
        if "blind" in self.faults:
            return {}
        return {"level": self.level}

    def fill(self) -> None:
        """Takes one more; faulty tanks take another number."""
        if "overflows" in self.faults and self.level == 1:
            self.level = 3
        elif "deaf" not in self.faults:
            self.level += 1
        if "leaks" in self.faults and self.level == 2:
            self.level -= 2
        if "tells" in self.faults:
            self.reports.append("I leak")

    def drain(self) -> None:
        """What the tank does itself."""
        if "lazy" not in self.faults:
            self.level -= 1

    def warn(self) -> None:
        """What is seen by an event alone."""
        if "silent" not in self.faults:
            self.note({"warned": True})

    def told(self) -> Sequence[str]:
        return self.reports

    async def stop(self) -> None:
        self.stopped = True


class Deaf(Tank):
    """A tank that nothing is filled into."""

    def __init__(self) -> None:
        super().__init__("deaf")

    def version(self) -> str:
        return "deaf 1"


class Tap(Stage):
    """Fills the tank, and opens its drain."""

    def __init__(self, fault: str = "") -> None:
        super().__init__()
        self.fault = fault
        self.nudged: list[str] = []
        self.closed = False

    async def meet(self, subject: PlayedSubject) -> None:
        assert isinstance(subject, Tank)
        self.tank = subject

    async def perform(self, step: Step, before: Any, after: Any) -> None:
        if self.fault == "breaks":
            raise RuntimeError("no water")
        if self.fault == "stalls":
            raise StageFailed("the tap is stuck")
        if self.fault != "idle":
            self.note({"filled": True})
            self.tank.fill()

    async def allow(self, step: Step, before: Any, after: Any) -> None:
        {"drain": self.tank.drain, "warn": self.tank.warn, "leak": self.tank.drain}[step.action]()

    async def nudge(self, what: str) -> None:
        self.nudged.append(what)
        if what == "spill":
            self.tank.level = 0

    async def release(self, state: Any) -> None:
        if self.fault == "late":
            self.tank.level = 3

    async def close(self) -> None:
        self.closed = True


def rebuilt(state: Any, seen: Mapping[str, Any]) -> None:
    """The level that was seen; less than was filled is lost."""
    state.lost = seen["level"] < state.level
    state.level = seen["level"]


SCENARIOS = {
    "full": Scenario("filled and drained", ["fill()", "fill()", "drain()"]),
    "warned": Scenario("filled and warned", ["fill()", "fill()", "warn()"]),
    "spilt": Scenario("spilt", ["fill()", "stage: shake", "fill()", "stage: spill"]),
    "nothing": Scenario("no step", []),
}

BINDING = PlayBinding(
    stages={"tap": Tap},
    subjects={"tank": Tank},
    observed=lambda state: {"level": state.level, "colour": "blue"},
    performs=["fill"],
    signs={
        "drain": None,
        "warn": lambda since: any(event.get("warned") for event in since.events),
    },
    silent=["leak"],
    rebuilt=rebuilt,
    properties=["nothing_lost", "slowly"],
    scenarios=SCENARIOS,
    step_seconds=0.05,
    quiet_seconds=0.01,
)


def tank_design(folder: Path) -> Design:
    """The design of a tank."""
    return design_of(folder, TEXT, "tank")


def play(
    folder: Path, scenario: str, *faults: str, stage: Tap | None = None, **changes: Any
) -> Play:
    """Plays a scenario to a tank with faults; the binding has changes."""
    design = tank_design(folder)
    binding = replace(BINDING, **changes)
    (trace,) = chosen_traces(design, binding, [scenario]).traces
    return play_trace(design, binding, trace, Tank(*faults), stage or Tap())


def play_trace(
    design: Design, binding: PlayBinding, trace: TraceToPlay, tank: Tank, tap: Tap
) -> Play:
    """Plays a trace; both sides have to be ended, whatever happens."""
    found = asyncio.run(Player(design, binding).play(trace, tap, tank))
    assert tank.stopped and tap.closed
    return found
