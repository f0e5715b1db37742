"""Each verdict arises from a fault planted for it, and `followed` only from what was observed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from specmodel.conformance.player import Player
from specmodel.conformance.report import explanation
from specmodel.errors import UsageError
from tests.conformance.tank import BINDING, Tap, play, tank_design


@pytest.mark.parametrize("scenario", ["full", "warned"])
def test_a_right_subject_follows(tmp_path: Path, scenario: str) -> None:
    """Steps by the stage, a step seen by a change, a step seen by an event."""
    found = play(tmp_path, scenario)
    assert (found.verdict, found.reason) == ("followed", "")
    assert [step.number for step in found.steps] == [1, 2, 3, 4]
    assert all(step.seen == {"level": step.expected["level"]} for step in found.steps)
    assert [event["of"] for event in found.transcript].count("stage") == 2


def test_parted_with_the_guard(tmp_path: Path) -> None:
    """What was seen is the effect of a step whose guard was false: the guard is named."""
    found = play(tmp_path, "full", stage=Tap("idle"), properties=())
    assert found.outcome == "parted at step 2"
    found = play(tmp_path, "spilt", properties=())
    assert found.outcome == "parted at step 3"
    assert found.parting is not None and found.parting.step == "spill"
    assert [done.step for done in found.parting.instead] == []
    assert "  no step of the design has this effect" in list(explanation(found))


def test_the_false_guard_is_named(tmp_path: Path) -> None:
    """A tank that drains too early: `drain` and `leak` would explain it, and their guards say
    why the design does not allow it."""
    found = play(tmp_path, "full", stage=_Early(), properties=())
    assert found.outcome == "parted at step 3"
    assert found.parting is not None
    assert {d.step: d.false for d in found.parting.instead} == {
        "drain()": ("level is 1, not above 1",),
        "leak()": ("lost is false",),
    }


class _Early(Tap):
    """The second filling empties the tank."""

    async def perform(self, step: object, before: object, after: object) -> None:
        self.tank.level += -1 if self.tank.level else 1


def test_parted_at_a_step_that_never_comes(tmp_path: Path) -> None:
    """A change that does not happen, and a sign that does not come, are waited for in vain."""
    lazy = play(tmp_path, "full", "lazy", properties=())
    assert lazy.outcome == "parted at step 4"
    assert lazy.parting is not None and lazy.parting.still and not lazy.parting.unseen
    assert (lazy.parting.expected, lazy.parting.seen) == ({"level": 1}, {"level": 2})
    silent = play(tmp_path, "warned", "silent")
    assert silent.outcome == "parted at step 4"
    assert silent.parting is not None and silent.parting.unseen
    assert "  there was no sign of the step" in list(explanation(silent))


def test_parted_after_the_last_step(tmp_path: Path) -> None:
    """What a subject does once the trace has ended is seen too."""
    found = play(tmp_path, "nothing", stage=_Restless(), properties=(), quiet_seconds=0.05)
    assert found.outcome == "parted at step 2"
    assert [d.step for d in found.parting.instead if not d.false] == ["fill()"]  # type: ignore[union-attr]
    assert "  the design allows this too, by fill()" in list(explanation(found))


class _Restless(Tap):
    """Fills the tank some time after the start, unasked."""

    looked = 0

    async def observe(self) -> dict[str, object]:
        self.looked += 1
        if self.looked == 3:
            self.tank.level = 1
        return {}


def test_lost_and_told(tmp_path: Path) -> None:
    """A property is false of what was seen: lost, unless the subject has reported something."""
    lost = play(tmp_path, "full", "leaks")
    assert lost.outcome == "lost, parted at step 3"
    assert lost.broken is not None and lost.broken.name == "nothing_lost"
    assert "the subject reported nothing" in list(explanation(lost))
    told = play(tmp_path, "full", "leaks", "tells")
    assert told.outcome == "told, parted at step 3"
    assert told.told == ("I leak", "I leak")
    assert play(tmp_path, "full", "leaks", properties=()).verdict == "parted"


def test_a_transition_property_of_what_was_seen(tmp_path: Path) -> None:
    """The step from the last rebuilt state to the one that was seen breaks it."""
    found = play(tmp_path, "full", "overflows")
    assert found.verdict == "lost"
    assert found.broken is not None and found.broken.name == "slowly"


@pytest.mark.parametrize(
    ("scenario", "faults", "stage", "reason"),
    [
        ("full", ["blind"], "", "changed anything that was observed"),
        ("nothing", [], "", "changed anything that was observed"),
        ("full", ["dies"], "", "the tank burst"),
        ("full", [], "stalls", "the tap is stuck"),
        ("full", [], "breaks", "the binding failed: RuntimeError: no water"),
    ],
)
def test_never_followed_unseen(
    tmp_path: Path, scenario: str, faults: list[str], stage: str, reason: str
) -> None:
    """Where nothing was observed, a play cannot be compared, and says why."""
    found = play(tmp_path, scenario, *faults, stage=Tap(stage), properties=())
    assert found.outcome == "cannot be compared"
    assert reason in found.reason
    assert found.reason in list(explanation(found))


def test_an_action_without_a_sign_cannot_be_compared(tmp_path: Path) -> None:
    """A binding that cannot see an action gives no verdict on it."""
    signs = {"drain": None, "warn": None}
    found = play(tmp_path, "warned", signs=signs)
    assert found.outcome == "cannot be compared"
    assert "step 4, warn(), changes nothing that is observed" in found.reason
    silent = play(tmp_path, "warned", "silent", signs={"drain": None}, silent=["warn", "leak"])
    assert silent.verdict == "followed"


def test_what_is_seen_in_the_end_is_a_state(tmp_path: Path) -> None:
    """A level that the design does not know gives no verdict about its properties."""
    found = play(tmp_path, "full", stage=_Flood())
    assert found.reason == "what was seen in the end is no state of the design"


class _Flood(Tap):
    """Overfills the tank when the trace is over."""

    async def release(self, state: object) -> None:
        self.tank.level = 9


def test_a_loss_after_the_release(tmp_path: Path) -> None:
    """What the subject does when nothing is held back counts for the properties."""
    found = play(tmp_path, "full", stage=_Drained())
    assert (found.verdict, found.parting) == ("lost", None)


class _Drained(Tap):
    """Empties the tank when the trace is over."""

    async def release(self, state: object) -> None:
        self.tank.level = 0


def test_a_subject_that_does_not_go_on_is_not_called_lost(tmp_path: Path) -> None:
    """It may be about to recover; what it has told counts."""
    lost = play(tmp_path, "full", stage=_Drained(), settled=lambda seen: seen["level"] == 0)
    assert lost.verdict == "lost"
    silent = play(tmp_path, "full", stage=_Drained(), settled=lambda seen: False)
    assert "the subject did not go on after the trace" in silent.reason
    parted = play(tmp_path, "full", "leaks", settled=lambda seen: False)
    assert parted.outcome == "parted at step 3"
    told = play(tmp_path, "full", "tells", settled=lambda seen: False)
    assert told.outcome == "told"


def test_the_stage_goes_on(tmp_path: Path) -> None:
    """With `goes_on` the rest of a trace is performed for a subject that has parted."""
    stopped, on = Tap(), Tap()
    play(tmp_path, "spilt", "deaf", stage=stopped)
    play(tmp_path, "spilt", "deaf", stage=on, goes_on=True)
    assert (stopped.nudged, on.nudged) == ([], ["shake", "spill"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"silent": []}, "does not say who does leak"),
        ({"rebuilt": None}, "no function rebuilt"),
        ({"properties": ["nothing_lots"]}, 'did you mean "nothing_lost"?'),
    ],
)
def test_a_binding_that_does_not_fit(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    """A binding that leaves something open is refused before anything is played."""
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        Player(tank_design(tmp_path), replace(BINDING, **changes))  # type: ignore[arg-type]
