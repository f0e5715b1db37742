"""`specmodel counterexamples`: reports, formats, files, exit codes, wrong use."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Specmodel

ROOT = Path(__file__).parents[2]
IMPATIENT = ("counterexamples", "two-phase-commit-impatient", "--set", "participants=2")


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_json_keys_are_documented(specmodel: Specmodel) -> None:
    """docs/reference/json-counterexamples.md has every key, and the numbers are consistent."""
    ran = specmodel(*IMPATIENT, "--format", "json")
    assert ran.code == 0
    report = json.loads(ran.out)
    text = (ROOT / "docs/reference/json-counterexamples.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text))
    graph = report["graph"]
    nested = (report, report["found"][0], graph, graph["edges"][0])
    assert {key for held in nested for key in held} <= named
    for edge in graph["edges"]:
        assert edge["source"] < len(graph["levels"][edge["level"]])
        assert edge["target"] < len(graph["levels"][edge["level"] + 1])
    assert len(graph["levels"]) == report["found"][0]["trace_length"] == 8


def test_traces_are_files_that_replay(specmodel: Specmodel, tmp_path: Path) -> None:
    """One for each, with the property that it violates."""
    ran = specmodel(*IMPATIENT, "--traces", str(tmp_path))
    files = sorted(tmp_path.glob("*.itf.json"))
    assert f"note: {len(files)} traces are in {tmp_path}" in ran.err
    assert ran.out.rstrip().splitlines()[-1].startswith("two-phase-commit-impatient agreement: ")
    assert files
    for file in files:
        replayed = specmodel("trace", str(file))
        assert replayed.code == 0
        assert "agreement is violated at its end" in replayed.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--property", "agreed"), 2, 'no property "agreed"'),
        (("--traces", "nowhere"), 2, "there is no folder nowhere"),
        (("--max-states", "2"), 3, "no violation was found before max-states"),
        (("--property", "agreement", "--max-states", "2"), 3, "was found before max-states"),
        (("--property", "deadlock", "--timeout", "soon"), 2, "is no duration"),
    ],
)
def test_wrong_use_and_limits(
    specmodel: Specmodel, words: tuple[str, ...], code: int, message: str
) -> None:
    """A message, nothing on stdout, the exit code of what went wrong."""
    ran = specmodel(*IMPATIENT, *words)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_nothing_is_violated(specmodel: Specmodel) -> None:
    """There is nothing to show, and what could be asked for instead."""
    ran = specmodel("counterexamples", "two-phase-commit", "--set", "participants=2")
    assert (ran.code, ran.out) == (2, "")
    assert "violates nothing; name a reachable property" in ran.err
