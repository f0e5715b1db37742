"""`specmodel conform` as a command, and as a fixture of pytest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from specmodel.conformance.binding import read_binding
from specmodel.errors import UsageError
from specmodel.testing import assert_conforms
from tests.conformance.tank import TEXT
from tests.conftest import Specmodel
from tests.docs.pages import ROOT
from tests.written import written

BINDING = """
from dataclasses import replace
from tests.conformance.tank import BINDING, Deaf, Tank, Tap

class Absent(Tank):
    def missing(self):
        return "there is none"

flaky = []

def sometimes():
    flaky.append(1)
    return Tank() if len(flaky) % 3 else Tank("deaf")

class Elsewhere(Tap):
    def missing(self):
        return "no pipes"

binding = replace(BINDING, properties=(), subjects={"tank": Tank, "deaf": Deaf, "absent": Absent,
    "flaky": sometimes}, stages={"tap": Tap, "elsewhere": Elsewhere})
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the design and the binding of a tank."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, TEXT, "tank.py")
    (tmp_path / "binding.py").write_text(BINDING)
    return tmp_path


COMMAND = ("conform", "tank.py", "--binding", "binding.py")


def test_exit_codes(place: Path, specmodel: Specmodel) -> None:
    """0 followed, 1 parted, 2 wrong, 3 cannot be compared or nothing played."""
    full = (*COMMAND, "--traces", "full")
    assert specmodel(*full, "--subject", "tank").code == 0
    assert specmodel(*full, "--subject", "deaf").code == 1
    assert specmodel(*full, "--subject", "absent").code == 3
    assert specmodel(*COMMAND, "--traces", "nothing", "--subject", "tank").code == 3
    assert specmodel(*full, "--subject", "tanc").err.startswith(
        'error: the binding has no subject "tanc"; did you mean "tank"'
    )
    wrong = specmodel(*full, "--stage", "elsewhere")
    assert (wrong.code, wrong.err) == (
        2,
        "error: the stage elsewhere cannot be had here: no pipes\n",
    )


def test_text(place: Path, specmodel: Specmodel) -> None:
    """The table, the reason for each outcome, what was skipped, and the totals."""
    ran = specmodel(*COMMAND, "--traces", "full", "--traces", "warned", "--repeat", "3")
    lines = [line.rstrip() for line in ran.out.splitlines()]
    assert lines[:3] == [
        "        tank      deaf              flaky",
        "full    followed  parted at step 2  followed (2); parted at step 2 (1)",
        "warned  followed  parted at step 2  followed (2); parted at step 2 (1)",
    ]
    assert "deaf on full: parted at step 2" in lines
    assert "deaf: deaf 1" in lines and "skipped absent: there is none" in lines
    assert lines[-1].startswith("18 plays: 8 parted, 10 followed in ")
    covering = specmodel(*COMMAND, "--covering", "--subject", "tank").out
    assert "in no trace: leak" in covering


def test_json_has_every_key(place: Path, specmodel: Specmodel) -> None:
    """docs/reference/json-conformance.md describes the keys, and no others."""
    found = json.loads(specmodel(*COMMAND, "--traces", "full", "--format", "json").out)
    series = found["series"]
    (deaf,) = (held for held in series if held["subject"] == "deaf")
    assert deaf["outcomes"] == {"parted at step 2": 1}
    assert deaf["plays"][0]["parting"]["expected"] == {"level": 1}
    text = (ROOT / "docs/reference/json-conformance.md").read_text()
    named = {
        name
        for line in text.splitlines()
        if line.startswith("| `")
        for name in line.split("|")[1].replace("`", "").replace(" ", "").split(",")
    }
    assert named == {*found, *deaf, *deaf["plays"][0]}


def test_junit_and_markdown(place: Path, specmodel: Specmodel) -> None:
    """A failure for what parted, an error for what cannot be compared, what was skipped."""
    wanted = ["--traces", "full", "--traces", "nothing"]
    for name in ("tank", "deaf", "absent"):
        wanted += ["--subject", name]
    suite = ElementTree.fromstring(specmodel(*COMMAND, *wanted, "--format", "junit").out)[0]
    numbers = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert numbers == ["5", "1", "2", "1"]
    lines = specmodel(*COMMAND, *wanted, "--format", "markdown").out.splitlines()
    assert lines[0] == "| | tank | deaf | absent |"
    assert lines[2] == (
        "| **full** filled and drained | followed | parted at step 2 | not installed |"
    )


def test_transcripts(place: Path, specmodel: Specmodel) -> None:
    """A file for each play, with the events of both sides in order."""
    specmodel(*COMMAND, "--traces", "warned", "--subject", "tank", "--transcripts", "wires")
    (file,) = Path("wires").iterdir()
    assert file.name == "tank-warned-1.jsonl"
    events = [json.loads(line) for line in file.read_text().splitlines()]
    assert [event["of"] for event in events] == ["stage", "stage", "subject"]
    assert sorted(event["at"] for event in events) == [event["at"] for event in events]
    Path("taken").touch()
    ran = specmodel(*COMMAND, "--traces", "full", "--transcripts", "taken")
    assert (ran.code, ran.err[:37]) == (2, "error: cannot write transcripts to ta")


def test_the_fixture(place: Path, conform: Callable[..., Any]) -> None:
    """It fails with the report, and skips what is not installed by name."""
    report = conform("tank.py", "binding.py", traces=["full"], subjects=["tank"])
    assert report.verdict == "passed"
    with pytest.raises(AssertionError, match="deaf on full: parted at step 2"):
        conform("tank.py", "binding.py", traces=["full"], subjects=["deaf"])
    with pytest.raises(pytest.skip.Exception, match="absent: there is none"):
        conform("tank.py", "binding.py", subjects=["absent"])
    with pytest.raises(AssertionError, match="nothing was played"):
        assert_conforms("tank.py", "binding.py", subjects=["absent"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", "x.py cannot be run: ZeroDivisionError"),
        ("binding = 3", "x.py has no variable binding"),
        (
            "from specmodel.conformance import PlayBinding\n"
            "binding = PlayBinding({}, {}, observed=dict)",
            "x.py: the binding has no stages",
        ),
    ],
)
def test_wrong_binding_files(place: Path, text: str, message: str) -> None:
    """A message, with the file."""
    Path("x.py").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_binding(Path("x.py"))


def test_binding_files_that_are_none(place: Path) -> None:
    """A missing file, and one that is no Python file."""
    with pytest.raises(UsageError, match=r"there is no binding y\.py"):
        read_binding(Path("y.py"))
    Path("y.txt").touch()
    with pytest.raises(UsageError, match="is no Python file"):
        read_binding(Path("y.txt"))


def test_two_bindings_may_have_modules_of_the_same_name(place: Path) -> None:
    """Each gets its own `parts`."""
    for name in ("a", "b"):
        Path(name).mkdir()
        Path(name, "parts.py").write_text(f"NAME = {name!r}")
        text = "from parts import NAME\nfrom dataclasses import replace\n"
        text += "from tests.conformance.tank import BINDING\n"
        Path(name, "binding.py").write_text(f"{text}binding = replace(BINDING, performs=[NAME])")
    found = [read_binding(Path(name, "binding.py")).performs for name in ("a", "b")]
    assert found == [["a"], ["b"]]
