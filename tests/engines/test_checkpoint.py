"""Checkpoints: whatever ends a search and whenever, what goes on from there ends as if nothing had
happened; and what is not whole, or of something else, is refused."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from specmodel import api
from specmodel.design import Design
from specmodel.engines import native, registry
from specmodel.engines.native import checkpointing
from specmodel.engines.native.stores import checkpoint as files
from specmodel.engines.native.stores.checkpoint import CheckpointError
from specmodel.errors import UsageError
from specmodel.results import Options
from tests.engines.outcomes import outcome, said
from tests.outside import PATIENCE, ROOT, interrupted, started, wait_for
from tests.written import design_of, written

ALWAYS = 1e-9
"""Seconds between checkpoints that make one at every level."""

GRID = """
size = constant("size", 12, low=1)

class State(Struct):
    at: dict[Annotated[int, Range(0, 2)], Annotated[int, Range(0, size)]]
    turns: Annotated[int, Range(0, 2)]

@init
def origin(turns: Annotated[int, Range(0, 1)]) -> State:
    return State({i: 0 for i in range(3)}, turns)

@action
def step(s: State, i: Annotated[int, Range(0, 2)]) -> None:
    require(s.at[i] < size and s.turns < 2)
    s.at[i] += 1

@action
def back(s: State) -> None:
    require(s.at[0] > 2)
    s.at[0] -= 2

@invariant
def inside(s: State) -> bool:
    return s.at[0] + s.at[1] < 14

@invariant
def low(s: State) -> bool:
    return s.at[2] < 4

@reachable
def corner(s: State) -> bool:
    return s.at[1] == 5

spec = Spec(state=State, init=origin, actions=[step, back], invariants=[inside, low],
            reachable=[corner])
"""


@pytest.fixture
def design(tmp_path: Path) -> Design:
    return design_of(tmp_path, GRID)


def options(folder: Path, **other: Any) -> Options:
    return Options(keep_going=True, checkpoint=folder, **other)


def whole(design: Design) -> Any:
    """How a search without checkpoints ends."""
    return outcome(native.check, design, Options(keep_going=True))


def resumed(design: Design, folder: Path, workers: int = 1) -> Any:
    """How a search that goes on from a folder ends."""
    return outcome(native.check, design, options(folder, workers=workers, resume=True))


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 3), (3, 1), (3, 2)])
def test_resumed_at_every_level(design: Design, tmp_path: Path, before: int, after: int) -> None:
    """Counts, verdicts and traces are those of one search, whatever the numbers of workers."""
    expected = whole(design)
    for depth in range(1, expected["depth"]):
        folder = tmp_path / f"after-{depth}"
        stopped = native.check(design, options(folder, workers=before, max_depth=depth))
        assert (stopped.stopped, stopped.checkpoint) == ("max-depth", folder)
        assert resumed(design, folder, after) == expected


def test_resumed_again_and_again(design: Design, tmp_path: Path) -> None:
    """Each checkpoint adds to the one before; all together are the whole."""
    expected = whole(design)
    for depth in range(1, expected["depth"]):
        result = native.check(
            design, options(tmp_path / "kept", max_depth=depth, resume=True, workers=depth % 3 + 1)
        )
        assert result.resumed == 0 if depth == 1 else result.resumed > 0
    assert resumed(design, tmp_path / "kept") == expected


def test_violation_is_gone_past(design: Design, tmp_path: Path) -> None:
    """A search stopped by a violation shows it again when resumed, and goes on when asked to."""
    folder = tmp_path / "kept"
    first = Options(checkpoint=folder)
    stopped = native.check(design, first)
    again = native.check(design, Options(checkpoint=folder, resume=True))
    assert stopped.stopped == "violation"
    assert said(again) == said(stopped)
    assert resumed(design, folder) == whole(design)


def test_nothing_is_left_of_a_complete_search(design: Design, tmp_path: Path) -> None:
    """A search that is over has nothing to go on from."""
    folder = tmp_path / "kept"
    result = native.check(design, options(folder, checkpoint_every=ALWAYS, workers=2))
    assert (result.complete, result.checkpoint) == (True, None)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_every_moment_of_writing(
    design: Design, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """Whatever is on the disk when a process is killed, a search that goes on from it ends well.

    The folder is copied before each operation that changes it, and with half a block written.
    """
    folder, copies = tmp_path / "kept", tmp_path / "copies"
    moments = 0

    def copied() -> None:
        nonlocal moments
        moments += 1
        shutil.copytree(folder, copies / str(moments))

    def before(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def observed(*given: Any, **named: Any) -> Any:
            if str(folder) in str(given) or name == "fsync":
                copied()
            return real(*given, **named)

        monkeypatch.setattr(owner, name, observed)

    def half(path: Path, blocks: Any) -> Any:
        every = list(map(bytes, blocks))
        path.write_bytes(b"".join(every)[: sum(map(len, every)) // 2])
        copied()
        path.unlink()
        return write(path, map(memoryview, every))

    write = files.write_file
    monkeypatch.setattr(checkpointing, "write_file", half)
    before(os, "fsync")
    before(Path, "replace")
    before(Path, "unlink")
    native.check(design, options(folder, checkpoint_every=ALWAYS, max_depth=4, workers=workers))
    monkeypatch.undo()
    assert moments > 20
    expected = whole(design)
    for moment in range(1, moments + 1):
        assert resumed(design, copies / str(moment), 3 - workers) == expected, moment


WAYS = {"table": [], "spill": ["--spill", "spilled", "--max-memory", "6M"]}
"""Options of searches that are killed, by where their states are."""


def killed_at_random(tmp_path: Path, way: str, times: int, longest: float) -> None:
    """Kills a search again and again, and lets the last one end: figures are as if it had not.

    The last time it is killed there is a checkpoint to go on from.
    """
    spec = written(tmp_path, GRID)
    folder, report = tmp_path / "kept", tmp_path / "report"
    command = ["check", spec, "--set", "size=70", "--continue", "--format", "json"]
    command += ["--output", report, "--checkpoint", folder, "--checkpoint-every", "1ms", "--resume"]
    command += WAYS[way]
    draw = random.Random(times)
    for turn in range(times):
        running = started(*command, "--workers", turn % 2 + 1, folder=tmp_path)
        reached = folder / ("lock" if turn < times - 1 else "checkpoint.json")
        wait_for(lambda at=reached, it=running: at.exists() or it.poll() is not None, running)
        time.sleep(draw.random() * longest)
        running.send_signal(signal.SIGKILL)
        _, errors = running.communicate(timeout=PATIENCE)
        assert errors == ""
    started(*command, "--workers", 2, folder=tmp_path).communicate(timeout=PATIENCE)
    last = json.loads(report.read_text())
    expected = native.check(design_of(tmp_path, GRID, size=70), Options(keep_going=True))
    figures = (last["distinct"], last["generated"], last["depth"], last["coverage"])
    assert figures == (
        expected.distinct,
        expected.generated,
        expected.depth,
        dict(expected.coverage),
    )
    lengths = [found["trace_length"] for found in last["properties"]]
    assert lengths == [found.trace_length for found in expected.properties]
    assert last["resumed"] > 0
    assert (last.get("disk", 0) > 0) == (way == "spill")


@pytest.mark.parametrize("way", WAYS)
def test_killed_at_random(tmp_path: Path, way: str) -> None:
    """kill -9, a few times, on the way through a search."""
    killed_at_random(tmp_path, way, 4, 0.5)


@pytest.mark.long
@pytest.mark.parametrize(("way", "times"), [("table", 37), ("spill", 36)])
def test_killed_many_times(tmp_path: Path, way: str, times: int) -> None:
    """kill -9, many times: there is no moment that gives another result."""
    killed_at_random(tmp_path, way, times, 0.4)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_leaves_a_checkpoint(tmp_path: Path, number: int) -> None:
    """An interrupted search says where to go on from, and does, whoever wants it to end."""
    spec, folder, mark = written(tmp_path, GRID), tmp_path / "kept", tmp_path / "at work"
    command = ("check", spec, "--set", "size=300", "--invariant", "corner", "--checkpoint", folder)
    # nohup has SIGHUP ignored, and children inherit that; a handler they do not.
    held = signal.signal(number, lambda *_: None)
    try:
        process = started(*command, mark=mark)
    finally:
        signal.signal(number, held)
    ran = interrupted(process, mark.exists, number)
    assert (ran.code, ran.err) == (3, "")
    assert f"--checkpoint {folder} --resume" in ran.out
    assert json.loads((folder / "checkpoint.json").read_text().partition("\n")[2])["boundary"]


def test_a_program_that_is_ended_leaves_a_checkpoint(tmp_path: Path) -> None:
    """SIGTERM ends a program that has no handler for it, once its search has been put down."""
    spec, folder, mark = written(tmp_path, GRID), tmp_path / "kept", tmp_path / "at work"
    code = (
        "import pathlib, specmodel\n"
        f"design = specmodel.load({str(spec)!r}, size=300)\n"
        f"mark = pathlib.Path({str(mark)!r})\n"
        f"specmodel.check(design, keep_going=True, checkpoint={str(folder)!r}, workers=2,\n"
        "                progress=lambda told: told.distinct and mark.touch())\n"
        "print('goes on')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ran = interrupted(process, mark.exists, signal.SIGTERM)
    assert (ran.code, ran.out, ran.err) == (-signal.SIGTERM, "", "")
    assert (folder / "checkpoint.json").exists()


# What is refused


@pytest.fixture
def kept(design: Design, tmp_path: Path) -> Path:
    """A folder with a checkpoint of the design."""
    native.check(design, options(tmp_path / "kept", max_depth=5))
    return tmp_path / "kept"


@pytest.mark.parametrize("damage", ["flipped", "short", "gone", "manifest"])
def test_damaged(design: Design, kept: Path, damage: str) -> None:
    """A bit that has changed, a file cut short or gone: said, never searched on with."""
    file = next(kept.glob("*.states" if damage != "manifest" else "checkpoint.json"))
    contents = bytearray(file.read_bytes())
    if damage == "gone":
        file.unlink()
    elif damage == "short":
        file.write_bytes(contents[:-8])
    else:
        contents[len(contents) // 2] ^= 4
        file.write_bytes(contents)
    with pytest.raises(CheckpointError, match="is damaged"):
        native.check(design, options(kept, resume=True))


def test_of_another_search(design: Design, kept: Path, tmp_path: Path) -> None:
    """What differs is named: constants, properties, deadlock, the design itself."""
    other = design_of(tmp_path, GRID, size=11)
    with pytest.raises(CheckpointError, match="constants size=12, not size=11"):
        native.check(other, options(kept, resume=True))
    with pytest.raises(CheckpointError, match="properties inside, low, corner, not low"):
        native.check(design, options(kept, resume=True, properties=("low",)))
    with pytest.raises(CheckpointError, match="deadlock false, not true"):
        native.check(design, options(kept, resume=True, deadlock=True))
    edited = design_of(tmp_path, GRID.replace("s.at[0] -= 2", "s.at[0] -= 1"))
    with pytest.raises(CheckpointError, match="the design has been changed since"):
        native.check(edited, options(kept, resume=True))
    assert resumed(design, kept) == whole(design)


def test_not_asked_to_resume(design: Design, kept: Path) -> None:
    """A checkpoint is not overwritten by a search that was not told to go on from it."""
    before = {file.name: file.read_bytes() for file in kept.iterdir()}
    with pytest.raises(UsageError, match="--resume"):
        native.check(design, options(kept))
    assert {file.name: file.read_bytes() for file in kept.iterdir()} == before


def test_coverage_is_not_resumed(design: Design, kept: Path) -> None:
    """Counts of a part of the search would pass for those of all of it."""
    with pytest.raises(UsageError, match="from the beginning"):
        native.check(design, options(kept, resume=True, coverage=True))


def test_used_by_another(design: Design, tmp_path: Path) -> None:
    """Two searches cannot share a folder."""
    held = files.Checkpoint(tmp_path / "kept", {})
    with pytest.raises(UsageError, match="another process"):
        native.check(design, options(tmp_path / "kept"))
    held.close()


def test_wrong_use(design: Design, tmp_path: Path) -> None:
    """Nowhere to resume from, a file for a folder, the other engine, a time that is none."""
    with pytest.raises(UsageError, match="--checkpoint DIR"):
        native.check(design, Options(resume=True))
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot keep a checkpoint"):
        native.check(design, options(tmp_path / "file"))
    with pytest.raises(UsageError, match="native engine"):
        registry.engine("interpret").check(design, options(tmp_path / "kept"))
    with pytest.raises(UsageError, match="checkpoint_every"):
        api.check(design, checkpoint=tmp_path / "kept", checkpoint_every=0)


def test_disk_full(design: Design, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, the search goes on, and the checkpoint before is as it was."""
    folder, remarks = tmp_path / "kept", list[str]()
    native.check(design, options(folder, max_depth=5))
    written_before = {file.name: file.read_bytes() for file in folder.iterdir()}

    def full(path: Path, blocks: Any) -> Any:
        path.write_bytes(bytes(next(iter(blocks)))[:8])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpointing, "write_file", full)
    result = native.check(
        design,
        options(folder, resume=True, max_depth=9, checkpoint_every=ALWAYS, remark=remarks.append),
    )
    assert result.depth == 9
    assert remarks
    assert "No space left on device" in remarks[0]
    assert result.checkpoint == folder
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == written_before
    other = native.check(design, options(tmp_path / "other", max_depth=9, remark=remarks.append))
    assert remarks[-1].endswith("(No space left on device); there is none yet")
    assert other.checkpoint is None
    monkeypatch.undo()
    assert resumed(design, folder) == whole(design)
