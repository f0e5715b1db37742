"""A disk that is really full, at one place or another of what is written there: what was found is
told, with why there is no more, and nothing is left open."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.native.loop import sizes
from specmodel.engines.native.stores import cold
from specmodel.results import Options, Result
from tests.conftest import Specmodel
from tests.engines.test_checkpoint import GRID
from tests.written import written

SIZE = 2 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB, that can be taken away afterwards: no file there is open or mapped."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "specmodel", str(folder)]
    try:
        refused = subprocess.run(mount, capture_output=True, text=True).stderr
    except OSError as wrong:
        refused = str(wrong)
    if refused:
        pytest.skip(f"a disk of its own cannot be mounted here: {refused.strip()}")
    yield folder
    taken = subprocess.run(["umount", str(folder)], capture_output=True, text=True)
    if taken.returncode:
        subprocess.run(["umount", "-l", str(folder)])
    assert not taken.stderr


def fill(disk: Path, room: int) -> None:
    """Leaves so many bytes."""
    (disk / "other").write_bytes(bytes(SIZE - room))


@pytest.mark.parametrize("room", [0, 4, 16, 36, 64, 100])
@pytest.mark.parametrize("workers", [1, 2])
def test_spilled(
    design: Design,
    whole: Result,
    disk: Path,
    monkeypatch: pytest.MonkeyPatch,
    room: int,
    workers: int,
) -> None:
    """The search ends with what it has found; its finished levels are whole, traces shortest."""
    monkeypatch.setattr(cold.SpillStore, "may_grow", lambda *given: False)  # type: ignore[misc]
    monkeypatch.setattr(sizes, "FIRST_TABLES", 0)
    fill(disk, room << 10)
    found = native.check(design, Options(keep_going=True, workers=workers, spill=disk))
    assert (found.stopped, found.complete) == ("disk-full", False)
    assert found.levels[:-1] == whole.levels[: found.depth - 1]
    for rule in found.properties:
        expected = whole[rule.name]
        assert expected.trace is not None
        if rule.trace is not None:
            assert rule.trace_length == expected.trace_length
        else:
            assert len(expected.trace.states) >= found.depth
    assert [file.name for file in disk.iterdir()] == ["other"]


def test_exit_codes(specmodel: Specmodel, tmp_path: Path, disk: Path) -> None:
    """1 if there was a violation by then, else 3, and the report says why there is no more."""
    spec = written(tmp_path, GRID)
    given = ("--set", "size=60", "--spill", disk, "--max-memory", "4M", "--workers", 2)
    fill(disk, 100 << 10)
    ran = specmodel("check", spec, *given, "--continue")
    assert (ran.code, ran.err) == (1, "")
    assert "stopped as the disk is full" in ran.out
    ran = specmodel("check", spec, *given, "--invariant", "corner")
    assert (ran.code, ran.err) == (3, "")
    assert "stopped as the disk is full" in ran.out


def test_checkpoint(specmodel: Specmodel, tmp_path: Path, disk: Path) -> None:
    """The search goes on without, and the one before is gone on with."""
    spec, folder = written(tmp_path, GRID), disk / "kept"
    given = ("check", spec, "--set", "size=24", "--continue", "--checkpoint", folder)
    assert specmodel(*given, "--max-depth", 9).code == 1
    left = os.statvfs(disk)  # the first checkpoint may be larger or smaller
    (disk / "other").write_bytes(bytes(left.f_bavail * left.f_frsize - (8 << 10)))
    ran = specmodel(*given, "--resume", "--max-depth", 40)
    assert ran.code == 1
    assert "no checkpoint could be written" in ran.err
    assert "No space left on device" in ran.err
    (disk / "other").unlink()
    last = specmodel(*given, "--resume")
    assert last.code == 1
    assert "complete" in last.out
    assert "resumed at" in last.out


@pytest.mark.parametrize("room", [0, 4, 40])
def test_space(specmodel: Specmodel, tmp_path: Path, disk: Path, room: int) -> None:
    """The report is as ever, with a note; what is there is not taken for the whole space."""
    pytest.importorskip("pyarrow")
    spec, folder = written(tmp_path, GRID), disk / "space"
    fill(disk, room << 10)
    ran = specmodel("check", spec, "--set", "size=24", "--continue", "--save-space", folder)
    assert ran.code in (1, 2)
    assert "No space left on device" in ran.err
    assert "Traceback" not in ran.err
    assert "internal" not in ran.err
    ran = specmodel("stats", folder)
    assert (ran.code == 2) == bool(ran.err)
    assert ran.code == 2 or "incomplete" in ran.out


@pytest.mark.parametrize("output", ["--output", "--trace-out"])
def test_output(specmodel: Specmodel, tmp_path: Path, disk: Path, output: str) -> None:
    """It is exit code 2, and what was there stays."""
    spec, report = written(tmp_path, GRID), disk / "report"
    report.write_text("before")
    fill(disk, 4 << 10)
    given = ("--set", "size=24", "--continue", "--format", "json", output, report)
    ran = specmodel("check", spec, *given)
    assert ran.code == 2
    assert f"{report}: No space left on device" in ran.err
    assert report.read_text() == "before"
    assert sorted(file.name for file in disk.iterdir()) == ["other", "report"]
