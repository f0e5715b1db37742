"""`specmodel simulate`: reports, formats, exit codes, wrong use, Ctrl-C."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Specmodel
from tests.outside import interrupted, started
from tests.written import written

ROOT = Path(__file__).parents[2]
IMPATIENT = ("simulate", "two-phase-commit-impatient")


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_a_violation(specmodel: Specmodel, tmp_path: Path) -> None:
    """The trace as a check shows it, where it came from, exit code 1, and the trace as a file."""
    file = tmp_path / "t.itf.json"
    ran = specmodel(*IMPATIENT, "--trace-out", str(file), "--workers", "1")
    assert ran.code == 1
    assert ran.out.startswith("Counterexample to agreement (invariant), 10 states:")
    assert "agreement is false:" in ran.out
    assert ran.out.rstrip().endswith("counterexample of 10 states, from walk 667 of seed 0")
    assert specmodel("trace", str(file)).code == 0
    assert json.loads(file.read_text())["#meta"]["property"] == "agreement"


def test_nothing_found_is_not_said_to_hold(specmodel: Specmodel, tmp_path: Path) -> None:
    """Exit code 0, as the walks asked for were made; no word that anything holds."""
    file = tmp_path / "t.itf.json"
    ran = specmodel("simulate", "two-phase-commit", "--walks", "300", "--trace-out", str(file))
    assert ran.code == 0
    assert "not complete" in ran.out
    assert re.search(r"\? agreement +invariant +not decided", ran.out)
    for line in ran.out.splitlines():
        assert "holds" not in line or "reachable" in line
    assert not file.exists()
    assert "no counterexample" in ran.err


def test_engines_report_alike(specmodel: Specmodel) -> None:
    """The whole report, but for speed and the self-check, is the same from CPython."""
    reports: list[str] = []
    for engine in ("native", "interpret"):
        ran = specmodel("simulate", "two-phase-commit", "--walks", "130", "--engine", engine)
        lines = [line for line in ran.out.splitlines() if "steps/s" not in line]
        reports.append("\n".join(line for line in lines if not line.startswith("self-check")))
    assert reports[0] == reports[1]


@pytest.mark.parametrize("strategy", ["uniform", "pct"])
def test_json_keys_are_documented(specmodel: Specmodel, strategy: str) -> None:
    """docs/reference/json-simulate.md has every key, nested ones included."""
    ran = specmodel(*IMPATIENT, "--format", "json", "--strategy", strategy)
    report = json.loads(ran.out)
    text = (ROOT / "docs" / "reference" / "json-simulate.md").read_text(encoding="utf-8")
    nested = [report["properties"][0], report["touched"], report["guarantee"] or {}]
    named = set(re.findall(r"`(\w+)`", text))
    assert {key for held in (report, *nested) for key in held} <= named
    assert report["verdict"] == "violated"
    assert (report["guarantee"] is not None) == (strategy == "pct")


def test_weights_from_the_file_and_the_line(specmodel: Specmodel, tmp_path: Path) -> None:
    """The design's file says how actions weigh; the command line says it over that."""
    models = ROOT / "models" / "examples"
    file = tmp_path / "calm.yaml"
    spec = f"{models / 'two_phase_commit.py'}:two_phase_commit"
    file.write_text(f"design: calm\nspec: {spec}\nweights: {{give_up: 0}}\n")
    words = ("simulate", str(file), "--walks", "80", "--strategy", "weighted", "--format", "json")
    assert json.loads(specmodel(*words).out)["coverage"]["give_up"] == 0
    assert json.loads(specmodel(*words, "--weight", "give-up=2").out)["coverage"]["give_up"] > 0
    file.write_text(f"design: calm\nspec: {spec}\nweights: {{give_in: 0}}\n")
    ran = specmodel(*words)
    assert ran.code == 2
    assert f"{file}:3:" in ran.err
    assert 'no action "give_in"; did you mean "give_up"' in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--weight", "prepare=2"), "weights are for the strategy weighted"),
        (("--strategy", "weighted", "--weight", "prepare"), "write action=number"),
        (("--strategy", "weighted", "--weight", "prepare=1", "--weight", "prepare=2"), "twice"),
        (("--time", "soon"), '"soon" is no duration'),
        (("--order", "2"), "an order is for the strategy pct"),
        (("--seed", str(1 << 64)), "the seed is a number from 0"),
        (("--invariant", "agreed"), 'no property "agreed"'),
        (("--trace-out", "nowhere/t.json"), "there is no folder nowhere"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_use(specmodel: Specmodel, words: tuple[str, ...], message: str) -> None:
    """A message that says what to do, exit code 2, nothing on stdout."""
    ran = specmodel(*IMPATIENT, *words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


ENDLESS = """
class State(Struct):
    n: Annotated[int, Range(0, 9)]

@init
def zero() -> State:
    return State(0)

@action
def step(s: State) -> None:
    s.n = (s.n + 1) % 10

endless = Spec(state=State, init=zero, actions=[step])
"""


def test_interrupt(tmp_path: Path) -> None:
    """Ctrl-C gives the report of what there is, with exit code 3."""
    spec, mark = written(tmp_path, ENDLESS, "endless.py"), tmp_path / "at work"
    words = ("simulate", spec, "--time", "9999s", "--engine", "interpret")
    ran = interrupted(started(*words, mark=mark), mark.exists)
    assert (ran.code, ran.err) == (3, "")
    assert "interrupted after" in ran.out
    assert "step" in ran.out
