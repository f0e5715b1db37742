"""Whatever ends a task, a worker, a disk, the driver: the right result, or a run to go on with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.spark import search
from specmodel.engines.spark.run_directory import RunDirectory
from specmodel.engines.spark.session import SparkError
from specmodel.errors import DamagedRun, UsageError
from specmodel.results import Options
from specmodel.space.files import RunFiles
from specmodel.space.space import Space
from tests.engines.outcomes import said
from tests.engines.spark.conftest import Check
from tests.engines.spark.faults import inject, with_tables

LESS_TELLING = ("before", "told", "raises")


@pytest.fixture(scope="module")
def design() -> Design:
    """957 states in 15 levels, with steps back to lower ones."""
    return load("kip320", replicas=2, max_leader_epoch=1)


@pytest.fixture(scope="module")
def wanted(design: Design) -> dict[str, object]:
    """What a search says of it."""
    return said(native.check(design, Options()))


@pytest.mark.parametrize(
    "fault",
    ["between", "logged", *(pytest.param(f, marks=pytest.mark.long) for f in LESS_TELLING)],
)
def test_a_task_is_lost(
    design: Design,
    wanted: dict[str, object],
    check: Check,
    fault: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker's process is killed, or fails, at any point of a level in the middle of a job."""
    mark = tmp_path / "happened"
    inject(monkeypatch, fault, 5, mark)
    assert said(check(design)) == wanted
    assert mark.exists()


def test_goes_on(
    design: Design,
    wanted: dict[str, object],
    check: Check,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run that met a limit goes on from its last level, with other shards if that is the
    default by now, and a run that has ended says the same again."""
    run = tmp_path / "run"
    first = check(design, run=run, max_depth=4)
    assert (first.complete, first.stopped, first.checkpoint) == (False, "max-depth", run)
    second = check(design, run=run, workers=2)
    assert said(second) == wanted
    assert second.resumed == first.distinct
    with monkeypatch.context() as patch:
        patch.setattr(search, "Insert", None)  # nothing is new: no table is made again
        assert said(check(design, run=run)) == wanted


def test_violations_are_kept(check: Check, tmp_path: Path) -> None:
    """What was found before a run was ended is in the result of the one that goes on."""
    design = load("two-phase-commit-impatient", participants=2)
    options = {"keep_going": True, "run": tmp_path / "run"}
    whole = native.check(design, Options(keep_going=True))
    depth = max(p.trace_length or 0 for p in whole.properties if p.verdict == "violated") + 1
    assert check(design, **options, max_depth=depth).verdict == "violated"
    assert said(check(design, **options)) == said(whole)


def test_another_search(design: Design, check: Check, tmp_path: Path) -> None:
    """A run directory of something else is refused, with the difference."""
    run = tmp_path / "run"
    check(design, run=run, max_depth=2)
    other = load("kip320", replicas=2, max_leader_epoch=2)
    with pytest.raises(UsageError, match="constants max_leader_epoch=1, not max_leader_epoch=2"):
        check(other, run=run)
    with pytest.raises(UsageError, match="properties"):
        check(design, run=run, properties=("weak_isr",))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").touch()
    with pytest.raises(UsageError, match=r"holds no run \(thesis.txt is in it\)"):
        check(design, run=tmp_path / "full")


def test_damaged_and_half_written(
    design: Design, wanted: dict[str, object], check: Check, tmp_path: Path
) -> None:
    """A level of which a file was cut off, as by a power failure, or changed, counts no longer, nor
    does any behind it; what a killed process has not finished never did."""
    run = tmp_path / "run"
    check(design, run=run, max_depth=7)
    files = RunFiles(run)
    broken = files.part("states", 4, 1)
    broken.write_bytes(broken.read_bytes()[:100])
    files.part("states", 5, 0).with_name(".shard=0000.parquet.x.part").write_bytes(b"half")
    result = check(design, run=run)
    assert said(result) == wanted
    assert result.resumed == sum(result.levels[:4])
    later, record = files.part("states", 6, 0), files.level(3)
    for path in (later, broken):
        held = bytearray(path.read_bytes())
        held[len(held) // 2] ^= 1
        path.write_bytes(held)
    with pytest.raises(DamagedRun, match=r"shard=000\d\.parquet was changed"):
        Space(run)
    result = check(design, run=run)
    assert (said(result), result.resumed) == (wanted, sum(result.levels[:4]))
    record.write_text(record.read_text().replace('"states": ', '"states": 1'))
    result = check(design, run=run)
    assert (said(result), result.resumed) == (wanted, sum(result.levels[:3]))
    assert Space(run).size == result.distinct


def test_files_that_the_driver_does_not_see(
    design: Design, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level does not count if a file that a task has written is not in the run's folder."""
    run, commit_run = tmp_path / "run", RunDirectory.commit

    def lost(self: RunDirectory, level: int, record: Any, files: Mapping[str, Any]) -> None:
        if level == 3:
            (run / next(iter(files))).unlink()
        commit_run(self, level, record, files)

    monkeypatch.setattr(RunDirectory, "commit", lost)
    with pytest.raises(DamagedRun, match=r"level=0003/shard=0000.parquet is not there"):
        check(design, run=run)
    assert len(RunFiles(run).committed()) == 3


def test_in_use(design: Design, check: Check, tmp_path: Path) -> None:
    """Two drivers cannot have the same run."""
    import fcntl

    run = tmp_path / "run"
    check(design, run=run, max_depth=2)
    with (run / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another process is using the run"):
            check(design, run=run)


def test_fails_for_good(
    design: Design, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task that fails whenever it is tried ends the search: in a sentence, stacks in a file."""
    run = tmp_path / "run"

    class Always:
        def __init__(self, *known: object) -> None:
            pass

        def __call__(self, shard: int, items: object) -> Iterator[object]:
            raise ValueError("this cannot be")

    with monkeypatch.context() as patch:
        patch.setattr("specmodel.engines.spark.search.Insert", Always)
        with pytest.raises(SparkError) as error:
            check(design, run=run)
    message = str(error.value)
    assert "ValueError: this cannot be" in message
    assert "\n" not in message
    assert "Traceback" in (run / "spark-error.txt").read_text()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = (
        os.getuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)], capture_output=True
        ).returncode
    )
    if not mounted:
        pytest.skip("a small file system can only be mounted by root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_full_disk(check: Check, small_disk: Path) -> None:
    """The disk of the run is full: the search stops as at a limit, and goes on later."""
    design = load("kip320", max_leader_epoch=1)
    remarks: list[str] = []
    first = check(design, run=small_disk / "run", remark=remarks.append)
    assert (first.stopped, first.complete) == ("disk-full", False)
    assert 0 < first.counts[0] < 100_000
    assert "a disk is full" in remarks[0]
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    second = check(design, run=small_disk / "run")
    assert said(second) == said(native.check(design, Options()))
    assert second.resumed == first.distinct


def test_full_table_disk(
    check: Check, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk that tables are on is full: the same, and no process crashes."""
    design = load("kip320", max_leader_epoch=1)
    with monkeypatch.context() as patch:
        with_tables(patch, small_disk)
        first = check(design, run=tmp_path / "run")
    assert (first.stopped, first.complete) == ("disk-full", False)
    assert said(check(design, run=tmp_path / "run")) == said(native.check(design, Options()))


def driver(run: Path, *more: str) -> subprocess.Popen[bytes]:
    """A check in a process of its own."""
    command = [sys.executable, "-m", "specmodel", "check", "kip320", "--engine", "spark"]
    command += ["--set", "max_leader_epoch=1", "--run", str(run), "--format", "json", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    """Until a file is there, while a process runs."""
    until = time.monotonic() + 120
    while not path.exists():
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.long
def test_killed_driver(check: Check, tmp_path: Path) -> None:
    """The driver is killed in the middle of a level; another goes on, after the first one's Java
    machine has let go of the run."""
    design, run = load("kip320", max_leader_epoch=1), tmp_path / "run"
    first = driver(run)
    wait_for(RunFiles(run).level(6), first)
    first.kill()
    first.wait()
    second = check(design, run=run)
    assert second.resumed > 0
    assert said(second) == said(native.check(design, Options()))


@pytest.mark.long
def test_interrupted_driver(check: Check, tmp_path: Path) -> None:
    """Ctrl-C: what is on record so far is the result, and exit code 3."""
    design, run = load("kip320", max_leader_epoch=1), tmp_path / "run"
    first = driver(run)
    wait_for(RunFiles(run).level(6), first)
    first.send_signal(signal.SIGINT)
    output, errors = first.communicate(timeout=60)
    assert first.returncode == 3
    assert b'"stopped": "interrupted"' in output
    assert errors == b""
    assert said(check(design, run=run)) == said(native.check(design, Options()))
