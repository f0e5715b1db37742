"""What a subject's own design says of the end of a play: every end that it allows, and no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel.conformance import PlayBinding, Scenario, SubjectDesign, Withholding, prediction
from specmodel.conformance.player import Player
from specmodel.conformance.plays import chosen_traces
from specmodel.conformance.prediction import NoPrediction, Predictor
from specmodel.conformance.report import agreeing, contradictions
from specmodel.errors import UsageError
from specmodel.results import Step
from tests.conformance.tank import Tank, Tap
from tests.written import design_of, written

TEXT = """
class State(Struct):
    sent: Annotated[int, Range(0, 3)]
    held: Annotated[int, Range(0, 3)]
    got: Annotated[int, Range(0, 3)]
    away: bool

@init
def empty() -> State:
    return State(0, 0, 0, False)

@action
def put(s: State) -> None:
    require(s.sent < 3)
    s.sent += 1
    s.held += 1

@action
def take(s: State) -> None:
    require(s.held > 0)
    s.held -= 1
    s.got += 1

@action
def drop(s: State) -> None:
    require(s.held > 0)
    s.held -= 1

@action
def look(s: State) -> None:
    require(s.held > 0)

@action
def doze(s: State) -> None:
    s.away = not s.away

@action
def put_twice(s: State) -> None:
    require(s.sent < 2)
    s.sent += 2
    s.held += 2

@invariant
def nothing_lost(s: State) -> bool:
    return s.got == s.sent or s.held > 0

mail = Spec(state=State, init=empty, actions=[put, take, look], invariants=[nothing_lost])
careful = Spec(state=State, init=empty, actions=[put, take])
careless = Spec(state=State, init=empty, actions=[put, take, drop])
lazy = Spec(state=State, init=empty, actions=[put, look])
restless = Spec(state=State, init=empty, actions=[put, take, doze])
other = Spec(state=State, init=empty, actions=[put_twice, take])
"""


def looked(since: Any) -> bool:
    """Is never asked: predictions compare signs."""
    raise AssertionError


def rebuilt(state: Any, seen: Any) -> None:
    """All that was not got is nowhere."""
    state.got, state.held = seen["got"], 0


BINDING = PlayBinding(
    stages={"post": Tap},
    subjects={"mail": Tank},
    observed=lambda state: {"got": state.got},
    performs=["put", "put_twice"],
    signs={"take": None, "look": looked, "drop": None},
    silent=["doze"],
    rebuilt=rebuilt,
    properties=["nothing_lost"],
    scenarios={
        "one": Scenario("one letter", ["put()", "take()"]),
        "looked": Scenario("looked at, and taken", ["put()", "look()", "take()"]),
        "longer": Scenario("two letters, the first looked at", ["put()", "look()", "put()"]),
        "nudged": Scenario("the stage does more", ["put()", "stage: knock", "take()"]),
    },
)


class Notes(Withholding):
    """Notes what it is told, and forbids some actions until it is let go or released."""

    def __init__(self, forbidden: Sequence[str] = (), until: str = "") -> None:
        self.forbidden, self.until = forbidden, until
        self.told: list[str] = []

    def take(self, state: Any, action: str) -> None:
        self.told.append(f"take {action}")

    def nudge(self, what: str) -> None:
        self.told.append(what)

    def let_go(self) -> None:
        self.told.append("let go")

    def release(self, state: Any) -> None:
        self.told.append("release")

    def lets(self, step: Step, before: Any) -> bool:
        return step.action not in self.forbidden or self.until in self.told


class Held(Notes):
    """Lets the subject take a letter when the trace does, or when it has parted; then it may drop
    one too."""

    def lets(self, step: Step, before: Any) -> bool:
        parted = "let go" in self.told
        return parted or step.action == "look" or (step.action, self.told[-1]) == AT_TAKE


class TakenOnce(Notes):
    """Lets the subject take one letter, once it has parted."""

    def lets(self, step: Step, before: Any) -> bool:
        return "let go" in self.told and before.got < 1


AT_TAKE = ("take", "take take")


def predictor(
    folder: Path,
    spec: str,
    withholding: Callable[[], Withholding] = Withholding,
    **subject: Any,
) -> Predictor:
    """Predicts by a spec of the text what a subject makes of the mail's traces."""
    design = design_of(folder, TEXT, spec)
    player = Player(design_of(folder, TEXT, "mail"), BINDING)
    return Predictor(player, SubjectDesign("", **subject), design, withholding)


def predicted(folder: Path, spec: str, scenario: str = "one", **more: Any) -> Sequence[str]:
    """The predicted ends of a scenario."""
    made = predictor(folder, spec, **more)
    (trace,) = chosen_traces(made.player.design, BINDING, [scenario]).traces
    return made.predicted(trace)


def test_each_end_that_the_design_allows(tmp_path: Path) -> None:
    """A careful reader keeps all; a careless one may drop a letter; one who only looks at letters
    takes none; one who goes to and fro still comes to take it."""
    assert predicted(tmp_path, "careful") == ("kept",)
    assert predicted(tmp_path, "careless") == ("kept", "lost")
    assert predicted(tmp_path, "lazy") == ("lost",)
    assert predicted(tmp_path, "restless") == ("kept",)


def test_a_play_is_over_once_the_subject_has_parted(tmp_path: Path) -> None:
    """Who does not look has parted, and takes the letter. It gets no second one, which it would
    leave, unless the stage goes on."""
    made = predictor(tmp_path, "careful", TakenOnce)
    (trace,) = chosen_traces(made.player.design, BINDING, ["longer"]).traces
    assert made.predicted(trace) == ("kept",)
    made.player.binding = replace(BINDING, goes_on=True)
    assert made.predicted(trace) == ("lost",)


def test_a_loss_that_is_told(tmp_path: Path) -> None:
    """Who says that a letter is dropped has not lost it in silence."""

    def says(step: Step, before: Any, after: Any) -> bool:
        return step.action == "drop" and before.held > after.held

    assert predicted(tmp_path, "careless", tells=says) == ("kept", "told")


def test_what_the_stage_withholds(tmp_path: Path) -> None:
    """What is withheld to the end does not happen; what is withheld until the trace has ended, or
    the subject has parted, may happen then."""

    def never() -> Withholding:
        return Notes(["drop"], "never")

    def until_parted() -> Withholding:
        return Notes(["drop"], "let go")

    def until_the_end() -> Withholding:
        return Notes(["drop", "take"], "release")

    assert predicted(tmp_path, "careless", withholding=never) == ("kept",)
    assert predicted(tmp_path, "careless", withholding=until_parted) == ("kept",)
    assert predicted(tmp_path, "careless", withholding=until_the_end) == ("kept", "lost")


def test_a_step_without_its_sign_is_a_parting(tmp_path: Path) -> None:
    """`look` changes nothing that is observed. Who does not look has parted by then, and may drop
    the letter; unless it shows that sign always."""
    case = {"scenario": "looked", "withholding": Held}
    assert predicted(tmp_path, "careless", **case) == ("kept", "lost")
    assert predicted(tmp_path, "careless", **case, shows=["look"]) == ("kept",)
    assert predicted(tmp_path, "mail", **case) == ("kept",)


def test_what_the_stage_is_told(tmp_path: Path) -> None:
    """Each state with its action, what a scenario asks, and the end; one is let go from the start,
    for those who have parted."""
    made: list[Held] = []

    def note() -> Withholding:
        made.append(Held())
        return made[-1]

    predicted(tmp_path, "careful", "nudged", withholding=note)
    following, parted = (held.told for held in made)
    assert following == ["take ", "take put", "knock", "take take", "release"]
    assert parted[:3] == ["take ", "let go", "take put"]


def test_what_cannot_be_predicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of the stage that the subject's design does not have; too many ways; a design that the
    binding does not fit."""
    with pytest.raises(NoPrediction, match=r"put\(\) cannot happen in other"):
        predicted(tmp_path, "other")
    monkeypatch.setattr(prediction, "MOST_POINTS", 1)
    with pytest.raises(NoPrediction, match="restless has too many ways"):
        predicted(tmp_path, "restless")
    unfit = replace(BINDING, silent=[])
    player = Player(design_of(tmp_path, TEXT, "mail"), unfit)
    design = design_of(tmp_path, TEXT, "restless")
    with pytest.raises(UsageError, match="does not say who does doze"):
        Predictor(player, SubjectDesign(""), design, Withholding)


MAIL_BINDING = """
from dataclasses import replace
from specmodel.conformance import SubjectDesign, Withholding
from tests.conformance.test_prediction import BINDING, Mail, Post

binding = replace(
    BINDING, stages={"post": Post}, subjects={"a": Mail, "b": Mail}, step_seconds=0.05,
    quiet_seconds=0.01, withholding={"post": Withholding},
    designs={"a": SubjectDesign("mail.py:careful"), "b": SubjectDesign("mail.py:other")},
)
"""


class Mail(Tank):
    """Gets nothing, whatever is put."""

    async def observe(self) -> dict[str, Any]:
        return {"got": 0}


class Post(Tap):
    """Puts letters."""

    async def allow(self, step: Step, before: Any, after: Any) -> None:
        """Withholds nothing."""


def test_reports_name_what_was_not_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A play that ends as the subject's design does not allow is named, with what it allows."""
    from specmodel import conform

    monkeypatch.chdir(tmp_path)
    written(tmp_path, TEXT, "mail.py")
    Path("binding.py").write_text(MAIL_BINDING)
    found = conform("mail.py:mail", "binding.py", traces=["one"])
    (careful, other) = found.series
    assert (careful.predicted, careful.contradicts) == (("kept",), ("lost",))
    assert list(contradictions(found.series)) == [
        "a on one: lost; its design predicts kept",
        "b on one: nothing is predicted: put() cannot happen in other",
    ]
    assert (other.predicted, other.contradicts) == ((), ())
    (said,) = agreeing(found.series)
    assert said == "0 of 1 outcomes are as the subjects' designs predict"
