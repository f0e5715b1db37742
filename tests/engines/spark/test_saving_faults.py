"""Whatever ends the pass that saves a space: the whole space, or one to go on with; the verdict."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.spark import saving, search
from specmodel.errors import UsageError
from specmodel.results import Options, Progress, Result
from specmodel.space.files import STATES, TRANSITIONS, RunFiles
from specmodel.space.space import Space
from specmodel.space.statistics import statistics
from tests.conftest import Specmodel
from tests.engines.outcomes import said
from tests.engines.spark.conftest import Check
from tests.engines.spark.faults import inject_saving
from tests.engines.spark.test_faults import driver, small_disk, wait_for
from tests.engines.spark.test_saved_spaces import timeless
from tests.space.graphs import told
from tests.written import design_of

__all__ = ["small_disk"]


@pytest.fixture(scope="module")
def design() -> Design:
    """957 states in 15 levels, with steps back to lower ones."""
    return load("kip320", replicas=2, max_leader_epoch=1)


@pytest.fixture(scope="module")
def wanted(design: Design, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the native engine leaves of it."""
    folder = tmp_path_factory.mktemp("native") / "space"
    native.check(design, Options(save_space=folder))
    return told(folder)


@pytest.fixture(autouse=True)
def several_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job for four levels, as if these were large."""
    monkeypatch.setattr(saving, "LEVELS_AT_ONCE", 4)


@pytest.mark.parametrize(
    ("stage", "fault"),
    [
        ("WriteSpace", "between"),
        ("WriteSpace", "told"),
        pytest.param("SendSteps", "told", marks=pytest.mark.long),
        pytest.param("WriteSpace", "raises", marks=pytest.mark.long),
    ],
)
def test_a_task_is_lost(
    design: Design,
    wanted: dict[str, Any],
    check: Check,
    stage: str,
    fault: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is done again, whatever it had written; what it had not finished does not stay."""
    mark, space = tmp_path / "happened", tmp_path / "space"
    inject_saving(monkeypatch, stage, fault, mark)
    check(design, save_space=space)
    assert mark.exists()
    assert told(space) == wanted
    assert not list(space.rglob("*.part"))


def test_a_run_that_grows(
    design: Design, wanted: dict[str, Any], check: Check, tmp_path: Path
) -> None:
    """Its last level has no steps; so it is saved again once it has, and no other."""
    run, space = tmp_path / "run", tmp_path / "space"
    check(design, run=run, max_depth=5, save_space=space)
    expanded = [record["expanded"] for record in RunFiles(space).committed()]
    assert expanded == [True] * 4 + [False]
    assert told(space)["graph"][0] == wanted["graph"][0][:5]
    before = RunFiles(space).part(STATES, 1, 0).stat().st_mtime_ns
    result = check(design, run=run, save_space=space)
    assert said(result) == said(native.check(design, Options()))
    assert told(space) == wanted
    assert RunFiles(space).part(STATES, 1, 0).stat().st_mtime_ns == before


def cut_short(
    check: Check, design: Design, patch: pytest.MonkeyPatch, **options: Any
) -> tuple[Result, str]:
    """A check whose driver finds the disk full at the 9th level of the space, and its remark."""
    whole, remarks = RunFiles.commit, list[str]()

    def commit(files: RunFiles, level: int, record: Any, *given: Any) -> None:
        if level == 8 and files.folder == options["save_space"]:
            raise OSError(28, "No space left on device")
        whole(files, level, record, *given)

    with patch.context() as context:
        context.setattr(RunFiles, "commit", commit)
        return check(design, remark=remarks.append, **options), " ".join(remarks)


def test_goes_on(
    design: Design,
    wanted: dict[str, Any],
    check: Check,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was saved counts and stays, and is gone on with, though the run has ended; files that
    are gone meanwhile are made again. If levels of the log are damaged and made anew, their states
    may have other ids: so is the space."""
    run, space = tmp_path / "run", tmp_path / "space"
    result, remark = cut_short(check, design, monkeypatch, run=run, save_space=space)
    assert (result.complete, result.saved, result.verdict) == (True, None, "holds")
    assert remark == (
        f"the space is not saved in {space}: No space left on device (8 of 15 levels are there); "
        "the same command goes on from there"
    )
    files = RunFiles(space)
    assert len(files.committed()) == 8
    kept, lost = files.part(STATES, 2, 1), files.parts(TRANSITIONS, 5)[0]
    before = kept.stat().st_mtime_ns
    lost.unlink()
    assert check(design, run=run, save_space=space).saved == space
    assert told(space) == wanted
    assert kept.stat().st_mtime_ns == before
    RunFiles(run).part(STATES, 3, 0).write_bytes(b"nothing")
    check(design, run=run, save_space=space)
    assert told(space) == wanted
    assert kept.stat().st_mtime_ns > before


def test_full_disk(design: Design, wanted: dict[str, Any], check: Check, small_disk: Path) -> None:
    """No room where tasks write: the verdict is told, and what counts is whole."""
    remarks, space = list[str](), small_disk / "space"
    (small_disk / "filler").write_bytes(bytes(320 << 10))
    result = check(design, remark=remarks.append, save_space=space)
    assert (result.complete, result.saved, result.verdict) == (True, None, "holds")
    assert "the space is not saved" in remarks[0]
    assert "a disk is full" in remarks[0]
    found = statistics(Space(space))
    assert 1 < len(found.levels) < len(wanted["graph"][0])
    assert all(
        level.states == record["states"]
        for level, record in zip(found.levels, wanted["records"], strict=False)
    )
    assert found.levels[-1].generated == 0


def test_ctrl_c(
    design: Design, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the search is over it ends the saving, not the verdict."""
    monkeypatch.setattr(search._SparkSearch, "progress_every", 0.0)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(saving, "LEVELS_AT_ONCE", 1)
    remarks: list[str] = []

    def shown(progress: Progress) -> None:
        if progress.saved:
            raise KeyboardInterrupt

    result = check(design, save_space=tmp_path / "s", remark=remarks.append, progress=shown)
    assert (result.complete, result.stopped, result.saved) == (True, "", None)
    assert f"not saved in {tmp_path / 's'}: interrupted (" in remarks[0]


FAILING = """
class State(Struct):
    at: Annotated[int, Range(0, 5)]

@init
def zero() -> State:
    return State(0)

@action
def step(s: State) -> None:
    require(s.at < 5)
    s.at += 1

@invariant
def odd(s: State) -> bool:
    return [True, True, False, True][s.at]

spec = Spec(state=State, init=zero, actions=[step], invariants=[odd])
"""


def test_an_invariant_that_fails(check: Check, tmp_path: Path) -> None:
    """In a state behind the first that breaks it, which the search does not look at: the states
    that break it cannot be told then, as by the native engine; all else is saved."""
    design = design_of(tmp_path, FAILING)
    native.check(design, Options(save_space=tmp_path / "native", keep_going=True))
    assert check(design, save_space=tmp_path / "spark", keep_going=True).saved
    assert told(tmp_path / "spark") == told(tmp_path / "native")
    assert not told(tmp_path / "spark")["violations"]


def test_what_cannot_be_saved_where(design: Design, check: Check, tmp_path: Path) -> None:
    """A run's folder stays what it is, whoever saves; a reduced search has no whole space."""
    run = tmp_path / "run"
    check(design, run=run, max_depth=3)
    before = sorted(os.walk(run))
    for engine in (check, lambda d, **o: native.check(d, Options(**o))):
        with pytest.raises(UsageError, match="holds a run on Spark, which has to stay"):
            engine(design, save_space=run)
    with pytest.raises(UsageError, match="holds a run on Spark"):
        check(design, run=run, save_space=run)
    assert sorted(os.walk(run)) == before
    with pytest.raises(UsageError, match="--partial-order leaves out steps"):
        check(design, save_space=tmp_path / "s", partial_order=True, properties=("weak_isr",))


def test_the_command(
    tmp_path: Path, specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch, running: None
) -> None:
    """Exit code 3 says that the space is not there, a note why; then it is told as any space."""
    command = ["check", "two-phase-commit", "--engine", "spark", "--workers", "2"]
    command += ["--run", str(tmp_path / "run"), "--save-space", str(tmp_path / "space")]
    whole = RunFiles.commit

    def full(files: RunFiles, level: int, record: Any, *given: Any) -> None:
        if files.folder == tmp_path / "space":
            raise OSError(28, "No space left on device")
        whole(files, level, record, *given)

    with monkeypatch.context() as patch:
        patch.setattr(RunFiles, "commit", full)
        ran = specmodel(*command)
    assert ran.code == 3
    assert "two-phase-commit holds" in ran.out
    assert "No space left on device (0 of 11 levels are there)" in ran.err
    assert specmodel(*command).code == 0
    assert specmodel("stats", tmp_path / "space").out.endswith(
        "761 transitions, depth 11, complete\n"
    )
    ran = specmodel("diff", tmp_path / "run", tmp_path / "space")
    assert ran.code == 2
    assert f"--engine spark --run {tmp_path / 'run'} --save-space DIR" in ran.err
    specmodel("check", "two-phase-commit", "--save-space", tmp_path / "native")
    ran = specmodel("diff", tmp_path / "native", tmp_path / "space")
    assert ran.out.count("nothing that the other has not") == 2


@pytest.mark.long
def test_killed_driver(check: Check, tmp_path: Path) -> None:
    """The driver is killed while it saves: the next goes on with the space."""
    design, run, space = load("kip320", max_leader_epoch=1), tmp_path / "run", tmp_path / "space"
    first = driver(run, "--save-space", str(space))
    wait_for(RunFiles(space).level(3), first)
    first.kill()
    first.wait()
    kept = RunFiles(space).part(STATES, 1, 0)
    before = kept.stat().st_mtime_ns
    assert check(design, run=run, save_space=space).saved == space
    native.check(design, Options(save_space=tmp_path / "native"))
    assert timeless(space) == timeless(tmp_path / "native")
    assert kept.stat().st_mtime_ns == before
