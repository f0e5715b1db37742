"""Whole checks as tasks of Spark: what comes back is what a check here gives."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel import SpecFailure, compare, load
from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.spark.checks import check_all, results_of
from specmodel.errors import UsageError
from specmodel.results import Options, Progress, Result
from specmodel.suite.targets import spec_of
from tests.conftest import Specmodel
from tests.written import design_of, written

SMALL: dict[str, Any] = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}

COUNTER = """
class State(Struct):
    n: Annotated[int, Range(0, 5)]
    on: bool

@init
def zero() -> State:
    return State(0, False)

@action
def up(s: State, by: Annotated[int, Range(1, 2)]) -> None:
    s.n = s.n + by

@action
def flip(s: State) -> None:
    s.on = not s.on

@action
def turn(s: State) -> None:
    s.n = (s.n + 1) % 3

@invariant
def hollow(s: State) -> bool:
    if s.n == 5 and not s.on:
        return s.on
    return True

@invariant
def unlucky(s: State) -> bool:
    return [True, True, True][s.n]

fails = Spec(state=State, init=zero, actions=[flip, up])
turning = Spec(state=State, init=zero, actions=[turn, flip], invariants=[hollow])
unlucky = Spec(state=State, init=zero, actions=[up], invariants=[unlucky], deadlock=True)
"""


def timeless(found: Result) -> Result:
    """What does not depend on the machine."""
    return replace(found, seconds=0.0, compile_seconds=0.0, memory=0, workers=0)


def both(*checks: tuple[Design, Options]) -> list[Result]:
    """The results of tasks, which are those of the native engine here."""
    found = results_of(checks, None, 2)
    wanted = [native.check(design, options) for design, options in checks]
    assert [timeless(result) for result in found] == [timeless(result) for result in wanted]
    return found


def test_designs(running: None) -> None:
    """Verdicts, counts, coverage and traces, past violations, under limits, of some properties."""
    first, patient = load("kip320-first-try", **SMALL), load("two-phase-commit")
    whole = Options(keep_going=True)
    found = both(
        (first, whole),
        (load("two-phase-commit-impatient"), Options()),
        (patient, replace(whole, symmetry=True)),
        (patient, Options(max_depth=4)),
        (patient, Options(properties=("agreement",), deadlock=True)),
    )
    assert {result.verdict for result in found} == {"holds", "violated", "incomplete"}


def test_behaviours_that_never_end(running: None) -> None:
    """A trace with a loop, and all that is said of its fairness."""
    specs = Path(__file__).parents[2] / "specs"
    (found,) = both((load(f"{specs / 'shared_lock.py'}:weakly"), Options(keep_going=True)))
    lassos = [judged.lasso for judged in found.properties if judged.lasso is not None]
    assert lassos


def test_a_part_that_says_nothing(running: None, tmp_path: Path) -> None:
    """A warning of a condition that is never true names the file that is here."""
    design = design_of(tmp_path, COUNTER, "turning")
    (found,) = both((design, Options(keep_going=True)))
    assert {count.point.span.file for count in found.unmet} == {str(tmp_path / "written.py")}


@pytest.mark.parametrize("name", ["fails", "unlucky"])
def test_a_failing_spec(running: None, tmp_path: Path, name: str) -> None:
    """The failure as the native engine raises it: the message, the place, the trace to it."""
    design = design_of(tmp_path, COUNTER, name)
    with pytest.raises(SpecFailure) as here:
        native.check(design, Options())
    with pytest.raises(SpecFailure) as there:
        results_of([(design, Options())], None, 2)
    assert str(there.value) == str(here.value)
    assert (there.value.where, there.value.trace) == (here.value.where, here.value.trace)


def test_what_is_wrong_with_one_is_told_with_its_number(running: None, tmp_path: Path) -> None:
    """A design that cannot be sent, or cannot be checked as asked, keeps no other from it."""
    patient = load("two-phase-commit", participants=2)
    plain = design_of(tmp_path, COUNTER, "turning")
    adrift = replace(plain, spec=replace(spec_of(plain.spec), name="adrift"))
    checks = [(patient, Options()), (adrift, Options()), (plain, Options(symmetry=True))]
    found = dict(check_all(checks, None, 2))
    result = found[0]
    assert isinstance(result, Result)
    assert result.verdict == "holds"
    assert "was not loaded from a file" in str(found[1])
    assert "has no symmetry" in str(found[2])
    with pytest.raises(UsageError, match="was not loaded"):
        results_of(checks, None, 2)


def test_a_comparison(running: None, specmodel: Specmodel) -> None:
    """The whole report, but for times, is that of checks here."""
    words = ("compare", "two-phase-commit", "two-phase-commit-impatient", "--format", "json")
    here, there = specmodel(*words), specmodel(*words, "--engine", "spark", "--workers", "2")
    assert here.code == there.code == 0

    def same(text: str) -> str:
        measured = r'"(seconds|compile_seconds|memory|workers|states_a_second)": [\d.]+'
        return re.sub(measured, "", text)

    assert same(there.out) == same(here.out)


def test_a_regression(
    running: None, specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cases that pass, fail, cannot be read or whose spec fails: each as it ends here."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, COUNTER, "counter.py")
    for name, expected in {
        "turning": "verdict: holds\n  distinct: 6",
        "wrong": "verdict: holds\n  distinct: 7",
        "fails": "verdict: holds",
        "unlucky": "properties: {unlucky: {verdict: violated}}",
    }.items():
        spec = "turning" if name == "wrong" else name
        (tmp_path / f"{name}.yaml").write_text(
            f"design: {name}\nspec: counter.py:{spec}\nexpect:\n  {expected}\n"
        )
    (tmp_path / "broken.yaml").write_text("design: broken\nspec: counter.py:none\nexpect: {}\n")
    words = ("test", tmp_path, "--format", "json", "--jobs", "2")

    def told(*more: str) -> tuple[int, str]:
        ran = specmodel(*words, *more)
        return ran.code, re.sub(r'"seconds": [\d.]+', "", ran.out)

    here, there = told(), told("--engine", "spark")
    assert there == here
    assert here[0] == 2
    assert all(status in here[1] for status in ('"passed"', '"failed"', '"broken"'))


def test_progress_and_the_master(running: None) -> None:
    """How many checks are done is told; who names a cluster and no engine is told so."""
    told: list[Progress] = []
    compare(
        "two-phase-commit",
        "two-phase-commit-impatient",
        engine="spark",
        workers=2,
        progress=told.append,
        participants=2,
    )
    assert [progress.asking for progress in told] == [
        f"{done} of 2 checks on Spark" for done in range(3)
    ]
    with pytest.raises(UsageError, match="--engine spark"):
        compare("two-phase-commit", "two-phase-commit-impatient", master="spark://m:7077")
