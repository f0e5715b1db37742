"""What is measured of a program is its own."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from benchmarks.process import MeasurementError, run

MB = 1 << 20

PYTHON = (sys.executable, "-I", "-S", "-c")


def program(megabytes: int) -> tuple[str, ...]:
    """One that has so much memory at its peak, and little at its end."""
    return (*PYTHON, f"held = b'x' * {megabytes * MB}; del held; print('done')")


def test_each_has_its_own_peak() -> None:
    """However much this process had before, and whatever ran before it."""
    held = b"x" * (400 * MB)
    del held
    large, small, middle = (run(program(size)).peak_rss for size in (300, 1, 100))
    assert 300 * MB < large < 350 * MB
    assert small < 40 * MB
    assert 100 * MB < middle < 150 * MB


def test_a_child_that_it_waits_for_counts() -> None:
    """A verifier that is started by a script, say."""
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {program(200)[-1]!r}])"
    assert run((*PYTHON[:1], "-c", inner)).peak_rss > 200 * MB


def test_lines_and_times() -> None:
    """Lines have the time at which they came, from the start of the program itself."""
    before = time.perf_counter()
    code = "import time; print('a', flush=True); time.sleep(0.2); print('b')"
    found = run((*PYTHON, code))
    took = time.perf_counter() - before
    assert found.lines == ("a", "b")
    assert found.arrival_of("b") - found.arrival_of("a") > 0.1
    assert 0.2 < found.wall_seconds < took


def test_a_program_that_fails(tmp_path: Path) -> None:
    """It is told with its exit code and its last words; one that is not there, too."""
    with pytest.raises(MeasurementError, match=r"ended with exit code 3: so far \| and no"):
        run((*PYTHON, "import sys; print('so far'); print('and no', file=sys.stderr); sys.exit(3)"))
    with pytest.raises(MeasurementError, match="exit code -9"):
        run((*PYTHON, "import os; os.kill(os.getpid(), 9)"))
    with pytest.raises(MeasurementError, match="cannot run no-such-program: No such file"):
        run(("no-such-program", "x"))
    (tmp_path / "here.sh").write_text("#!/bin/sh\necho $WORD\n")
    (tmp_path / "here.sh").chmod(0o755)
    found = run(("./here.sh",), directory=tmp_path, environment={"WORD": "given"})
    assert found.output == "given"
