"""Too little memory for threads, or for an address space: a command ends with a report, or with one
line of why."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from specmodel.engines import native
from specmodel.results import Options
from tests.engines.outcomes import outcome
from tests.engines.test_checkpoint import GRID
from tests.outside import PATIENCE, ROOT
from tests.written import design_of

WAYS = [["check", "--spill", "spilled"], ["check", "--fingerprint"], ["profile"]]

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({size}, {size}))
from specmodel.cli import main
sys.argv = ["specmodel", *{words!r}]
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="others do not limit address spaces")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[-1])
@pytest.mark.parametrize(
    "sizes", [(1000, 60), pytest.param((1000, 300, 120, 80, 60), marks=pytest.mark.long)]
)
def test_address_space(tmp_path: Path, way: list[str], sizes: tuple[int, ...]) -> None:
    """From next to nothing to enough. In the longer test, machine code is made anew for each."""
    codes = set[int]()
    anew = len(sizes) > 2
    for size in sizes:
        words = [*way, "two-phase-commit", "--workers", "2"]
        ran = subprocess.run(
            [sys.executable, "-c", LIMITED.format(size=size << 20, words=words)],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                **({"SPECMODEL_CACHE": str(tmp_path / f"cache {size}")} if anew else {}),
            },
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        codes.add(ran.returncode)
        told = f"{size} MB: {ran.returncode}\n{ran.stdout}{ran.stderr}"
        assert ran.returncode in (0, 2, 3), told
        assert "internal error" not in told, told
        assert "Traceback" not in told, told
        assert (ran.returncode == 2) <= ran.stderr.startswith("error:"), told
    assert 0 in codes


@pytest.mark.parametrize("started", [0, 1])
def test_no_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: int) -> None:
    """That is said, and what was found by then is kept to go on from."""
    real, left = threading.Thread.start, started

    def start(thread: threading.Thread) -> None:
        nonlocal left
        if thread.name in ("specmodel_1", "specmodel_2"):
            left -= 1
            if left < 0:
                raise RuntimeError("can't start new thread")
        real(thread)

    design = design_of(tmp_path, GRID, size=24)
    whole = outcome(native.check, design, Options(keep_going=True))
    monkeypatch.setattr(threading.Thread, "start", start)
    options = Options(
        keep_going=True, workers=3, checkpoint=tmp_path / "kept", spill=tmp_path, resume=True
    )
    found = native.check(design, options)
    assert (found.stopped, found.complete) == ("max-memory", False)
    assert found.levels[0] == 2
    monkeypatch.undo()
    assert outcome(native.check, design, options) == whole
