"""Plays on a stage that withholds nothing: the subject's transcript is held to its design."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from specmodel.conformance import PlayedSubject, Stage
from specmodel.results import Step
from tests.conformance.test_prediction import TEXT
from tests.conftest import Specmodel
from tests.written import written

BINDING = """
from dataclasses import replace
from specmodel.conformance import SubjectDesign
from tests.conformance.test_free_plays import Mail, Post
from tests.conformance.test_prediction import BINDING

class Greedy(Mail):
    takes = 2

binding = replace(
    BINDING, stages={"post": Post}, subjects={"mail": Mail, "greedy": Greedy}, properties=(),
    step_seconds=0.05, quiet_seconds=0.01, transcript="log_binding.py", free=["post"],
    designs={name: SubjectDesign("mail.py:careful") for name in ("mail", "greedy")},
)
"""

LOG_BINDING = """
from specmodel.conformance import LogBinding

log = LogBinding(
    events={"put": "put", "take": "take"}, observed=lambda state: {"got": state.got}
)
"""


class Mail(PlayedSubject):
    """Takes each letter as soon as it is put."""

    takes = 1

    def __init__(self) -> None:
        super().__init__()
        self.got = 0

    def put(self) -> None:
        """Is given a letter."""
        for _ in range(self.takes):
            self.got += 1
            self.note({"event": "take", "got": self.got})

    async def observe(self) -> Mapping[str, Any]:
        return {"got": self.got}


class Post(Stage):
    """Puts letters, and withholds nothing."""

    async def meet(self, subject: PlayedSubject) -> None:
        assert isinstance(subject, Mail)
        self.client = subject

    async def perform(self, step: Step, before: Any, after: Any) -> None:
        self.note({"event": "put"})
        self.client.put()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the design of mail and the bindings."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, TEXT, "mail.py")
    (tmp_path / "binding.py").write_text(BINDING)
    (tmp_path / "log_binding.py").write_text(LOG_BINDING)
    return tmp_path


COMMAND = ("conform", "mail.py:mail", "--binding", "binding.py", "--traces", "looked")


@pytest.mark.usefixtures("place")
def test_a_subject_that_follows_its_design(specmodel: Specmodel) -> None:
    """It takes a letter before the trace does, and looks at none: that is its own affair."""
    ran = specmodel(*COMMAND, "--subject", "mail")
    assert (ran.code, "as its design" in ran.out) == (0, True)
    assert "1 of 1 transcripts are behaviours of the subjects' designs" in ran.out
    report = json.loads(specmodel(*COMMAND, "--subject", "mail", "--format", "json").out)
    (play,) = report["series"][0]["plays"]
    assert (play["verdict"], play["unlike"], play["parting"]) == ("followed", "", None)
    assert [step["step"] for step in play["steps"]] == ["", "put()"]


@pytest.mark.usefixtures("place")
def test_a_subject_that_does_not(specmodel: Specmodel) -> None:
    """The first event that is no step of the design is named; the play has parted."""
    ran = specmodel(*COMMAND)
    assert ran.code == 1
    assert "greedy on looked: parted\n  the transcript: it is no careful:" in ran.out
    assert 'greedy-looked-1.jsonl:3 is no step: {"of": "subject"' in ran.out
    assert "1 of 2 transcripts are behaviours of the subjects' designs" in ran.out


@pytest.mark.usefixtures("place")
def test_without_the_binding_of_the_log(place: Path, specmodel: Specmodel) -> None:
    """Its absence is said before anything is played."""
    (place / "log_binding.py").unlink()
    ran = specmodel(*COMMAND)
    assert (ran.code, "there is no binding" in ran.err) == (2, True)


@pytest.mark.usefixtures("place")
def test_settings_of_a_stage(specmodel: Specmodel) -> None:
    """A setting that the stage does not have is refused, and one without a value too."""
    ran = specmodel(*COMMAND, "--with", "speed=3")
    assert ran.err.startswith('error: the stage post has no setting "speed"')
    ran = specmodel(*COMMAND, "--with", "speed")
    assert (ran.code, "--with speed: write name=value" in ran.err) == (2, True)
