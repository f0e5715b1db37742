"""`specmodel test`: suites, formats, exit codes, updates, baselines, wrong use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Golden, Specmodel

GUARD = "    require(s.at < most or wild)\n"

EXPECTED = """\
design: my-counter
spec: counter.py:counter
constants: {most: 2}
check: [small, bounded]
expect:
  verdict: violated
  distinct: 5
  depth: 3
  properties: {small: {verdict: violated, trace_length: 3}}
  coverage: {never: 0}
  at:
    - constants: {most: 1}  # too short to break it
      verdict: holds
      distinct: 3
"""

AS_EXPECTED = ("test", "--jobs", "1")


@pytest.fixture
def suite(counter: Path) -> Path:
    """A folder with a design whose file expects just what is found."""
    (counter / "models" / "counter.yaml").write_text(EXPECTED)
    return counter / "models"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_as_expected(specmodel: Specmodel, suite: Path) -> None:
    """Every row, and that all actions fire; the folder `models` is what is tested by default."""
    ran = specmodel(*AS_EXPECTED, "-v")
    assert (ran.code, ran.err) == (0, "")
    assert "passed   my-counter  violated, 5 states, depth 3\n" in ran.out
    assert "passed   my-counter:most=1  holds, 3 states, depth 2\n" in ran.out
    assert "passed   my-counter:coverage\n" in ran.out
    assert ran.out.splitlines()[-1].startswith("3 passed in ")
    assert not Path("test-failures").exists()


def test_side_by_side_is_the_same(specmodel: Specmodel, suite: Path) -> None:
    """Processes give the same cases in the same order."""
    one, two = (specmodel("test", "-v", "--jobs", n) for n in (1, 2))
    assert one.out.splitlines()[:-1] == two.out.splitlines()[:-1]
    assert (two.code, two.err) == (0, "")


def test_an_edited_guard_is_told(specmodel: Specmodel, suite: Path, golden: Golden) -> None:
    """Design, property, the first differing step; the trace is left; undone, it passes again."""
    before = suite.parent / "before"
    shutil.copytree(suite, before)
    source = suite / "counter.py"
    edit(source, GUARD, "    require(s.at < most and s.at != 1)\n")
    ran = specmodel(*AS_EXPECTED, "--against", before)
    assert ran.code == 1
    lines = ran.out.replace(f"{suite.parent}/", "").splitlines()
    golden("test-lost.txt", "\n".join([*lines[:-1], lines[-1].partition(" in ")[0], ""]))
    edit(source, "s.at < most and s.at != 1", "s.at < most or wild")
    edit(source, "return s.at < 2", "return s.at < 1")
    ran = specmodel(*AS_EXPECTED, "-k", "most=1")
    assert ran.code == 1
    assert "  small: violated, in 2 states; expected: holds\n    2. step(by=" in ran.out
    trace = Path("test-failures") / "my-counter-most=1-small.itf.json"
    assert f"  trace: {trace}\n" in ran.out
    assert specmodel("trace", trace, "--design", "my-counter").code == 0
    edit(source, "return s.at < 1", "return s.at < 2")
    assert specmodel(*AS_EXPECTED).code == 0


def test_an_unexpected_counterexample_is_held_against_what_was(
    specmodel: Specmodel, suite: Path
) -> None:
    """A weaker guard breaks a property: where the counterexample stops before, and why."""
    edit(suite / "counter.py", "return s.at < 2", "return s.at < 3")
    edit(suite / "counter.yaml", "constants: {most: 2}\ncheck", "constants: {most: 4}\ncheck")
    edit(suite / "counter.yaml", EXPECTED.partition("expect:")[2], "\n  verdict: holds\n")
    before = suite.parent / "before"
    shutil.copytree(suite, before)
    edit(before / "counter.py", GUARD, "    require(s.at < 2)\n")
    ran = specmodel(*AS_EXPECTED, "--against", before)
    assert ran.code == 1
    assert "my-counter" in ran.out
    assert "small: violated, in 4 states; expected: holds" in ran.out
    assert "stops before state 4 of 4: step(by=" in ran.out
    assert "s.at < 2" in ran.out


def test_what_is_broken_does_not_keep_others_from_running(
    specmodel: Specmodel, suite: Path
) -> None:
    """Unknown key, two of one name, missing file, corrupt trace: told with place, exit code 2."""
    models = suite
    (models / "unknown.yaml").write_text("design: b\nspec: counter.py:counter\nexpects: 1\n")
    (models / "zwin.yaml").write_text(EXPECTED)
    (models / "gone.yaml").write_text("design: c\nspec: gone.py:c\nexpect: {verdict: holds}\n")
    (models / "wide.yaml").write_text(
        "design: d\nspec: counter.py:counter\nexpect:\n  verdict: holds\n  at:\n"
        "    - {constants: {most: 99}, verdict: holds}\n"
    )
    (models / "bad.itf.json").write_text("{")
    ran = specmodel(*AS_EXPECTED, "models", "nowhere/at-all")
    assert ran.code == 2
    assert "Traceback" not in ran.out + ran.err
    for told in (
        'unknown.yaml:3:1: unknown key "expects"; did you mean "expect" or "spec"?',
        'two designs are called "my-counter": models/counter.yaml and models/zwin.yaml',
        "no such file: models/gone.py",
        "constant most = 99 is outside 1..9",
        "models/bad.itf.json:1:",
        "there is no file or folder nowhere/at-all",
    ):
        assert told in ran.out, told
    assert "4 passed" in ran.out


def test_recorded_traces(specmodel: Specmodel, suite: Path) -> None:
    """A trace replays, or stops where its design's file says; else that is told with the guard."""
    assert specmodel("check", "my-counter", "--trace-out", "two.itf.json").code == 1
    listed = "traces:\n  - {file: ../two.itf.json}\n"
    (suite / "counter.yaml").write_text(EXPECTED + listed)
    assert specmodel(*AS_EXPECTED).code == 0
    assert specmodel(*AS_EXPECTED, "two.itf.json").code == 0
    (suite / "counter.yaml").write_text(EXPECTED + listed.replace("json}", "json, blocked: 3}"))
    ran = specmodel(*AS_EXPECTED, "-k", "two.itf.json")
    assert ran.code == 1
    assert "expected to stop at step 2" in ran.out
    edit(suite / "counter.py", GUARD, "    require(s.at < 1)\n")
    assert specmodel(*AS_EXPECTED, "-k", "two.itf.json").code == 0
    ran = specmodel(*AS_EXPECTED, "two.itf.json")
    assert ran.code == 1
    assert "s.at < 1" in ran.out
    (suite / "counter.yaml").write_text(EXPECTED + "traces: [{file: none.itf.json}]\n")
    assert specmodel(*AS_EXPECTED, "-k", "none").code == 2


def test_vacuous_success_fails(specmodel: Specmodel, suite: Path) -> None:
    """An action that fires in no run, and a row in which nothing can happen."""
    edit(suite / "counter.yaml", "  coverage: {never: 0}\n", "")
    ran = specmodel(*AS_EXPECTED)
    assert ran.code == 1
    assert "never fired in any run: never\n    if that is meant, expect it: " in ran.out
    assert specmodel(*AS_EXPECTED, "--allow-vacuous").code == 0
    edit(suite / "counter.py", GUARD, "    require(s.at > most)\n")
    (suite / "counter.yaml").write_text(
        "design: still\nspec: counter.py:fine\ncheck: [bounded]\nexpect: {verdict: holds}\n"
    )
    ran = specmodel(*AS_EXPECTED, "-k", "still")
    assert ran.code == 1
    assert "  no action ever fired\n" in ran.out


def test_update(specmodel: Specmodel, suite: Path) -> None:
    """Only what changed is written, and shown; then all is as expected."""
    file = suite / "counter.yaml"
    file.write_text(
        EXPECTED.replace("distinct: 5", "distinct: 6").replace("length: 3", "length: 2")
    )
    ran = specmodel(*AS_EXPECTED, "--update")
    assert (ran.code, file.read_text()) == (0, EXPECTED)
    assert "-  distinct: 6\n+  distinct: 5\n" in ran.out
    assert "+    - constants" not in ran.out
    assert specmodel(*AS_EXPECTED).code == 0
    assert specmodel(*AS_EXPECTED, "--update").err == "note: nothing to update\n"


def test_update_does_not_make_right_what_is_broken(specmodel: Specmodel, suite: Path) -> None:
    """A vacuous success and a missing trace stay what they are."""
    edit(suite / "counter.yaml", "  coverage: {never: 0}\n", "")
    text = (suite / "counter.yaml").read_text()
    assert specmodel(*AS_EXPECTED, "--update").code == 1
    assert (suite / "counter.yaml").read_text() == text


def test_baseline(specmodel: Specmodel, suite: Path) -> None:
    """Growth since a recorded day is told, and fails the run beyond a threshold."""
    (suite / "counter.yaml").write_text(
        "design: free\nspec: counter.py:fine\ncheck: [bounded]\n"
        "expect: {verdict: holds, coverage: {never: 0}}\n"
    )
    options = (*AS_EXPECTED, "--baseline", "sizes.json")
    assert specmodel(*options).code == 2
    assert specmodel(*options, "--update").code == 0
    written = Path("sizes.json").read_text()
    assert json.loads(written)["sizes"]["free"]["distinct"] == 5
    assert specmodel(*options, "--update").code == 0
    assert Path("sizes.json").read_text() == written
    edit(suite / "counter.py", 'constant("most", 2', 'constant("most", 4')
    ran = specmodel(*options)
    assert ran.code == 0
    assert "free: states +80 %: 5 before, 9 now, depth 3 -> 5, since 20" in ran.out
    ran = specmodel(*options, "--max-growth", 50)
    assert ran.code == 1
    assert "1 state space grown too much" in ran.out
    assert specmodel(*options, "--max-growth", 90).code == 0
    Path("sizes.json").write_text("[]")
    assert specmodel(*options).code == 2


def test_keywords_and_sizes_choose(specmodel: Specmodel, suite: Path) -> None:
    """What is left out is counted as skipped, or not at all; a word that fits nothing is wrong."""
    assert "2 passed, 1 skipped" not in specmodel(*AS_EXPECTED, "-k", "MOST=1").out
    assert specmodel(*AS_EXPECTED, "-k", "my-counter*").out.startswith("3 passed")
    ran = specmodel(*AS_EXPECTED, "--up-to", 4, "-v")
    assert "skipped  my-counter\nskipped  my-counter:coverage\n" in ran.out
    ran = specmodel(*AS_EXPECTED, "-k", "nothing")
    assert (ran.code, ran.err) == (2, "error: no case has nothing in its name\n")


def test_limits_make_it_incomplete(specmodel: Specmodel, suite: Path) -> None:
    """A search that was cut short is neither a success nor a failure."""
    ran = specmodel(*AS_EXPECTED, "-k", "most=1", "--max-states", 1)
    assert ran.code == 3
    assert "cut short (max-states)" in ran.out


def test_formats(specmodel: Specmodel, suite: Path) -> None:
    """JSON, JUnit and annotations say the same as the text."""
    edit(suite / "counter.yaml", "distinct: 3", "distinct: 4")
    found = json.loads(specmodel(*AS_EXPECTED, "--format", "json").out)
    assert (found["version"], found["verdict"]) == (1, "failed")
    assert [case["status"] for case in found["cases"]] == ["passed", "failed", "passed"]
    assert found["cases"][1]["problems"][0]["text"] == "states: 3, expected 4 (-25 %)"
    assert found["cases"][1]["check"]["distinct"] == 3
    ran = specmodel(*AS_EXPECTED, "--format", "github", "--junit", "out.xml")
    place = "file=models/counter.yaml,line=12"
    title = "title=my-counter%3Amost=1 failed"
    assert f"::error {place},{title}::states: 3, expected 4 (-25 %25)\n" in ran.out
    root = ElementTree.parse("out.xml").getroot()[0]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "0")
    [failure] = root.iter("failure")
    assert failure.get("message") == "states: 3, expected 4 (-25 %)"
    assert specmodel(*AS_EXPECTED, "--format", "junit").out.splitlines()[2].strip().startswith("<")


@pytest.mark.parametrize(
    "options",
    [("--max-growth", "5"), ("--against", "nowhere"), ("--engine", "warp"), ("--jobs", "0")],
)
def test_wrong_use(specmodel: Specmodel, suite: Path, options: tuple[str, str]) -> None:
    """Refused before anything is run."""
    assert specmodel("test", *options).code == 2


def test_nothing_to_test(
    specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty folder is no success."""
    monkeypatch.chdir(tmp_path)
    assert specmodel("test").code == 2
    (tmp_path / "models").mkdir()
    assert specmodel("test").code == 2
