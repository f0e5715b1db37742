"""Ctrl-C at any line that starts or closes a search, or compiles code for one.

SIGINT comes in a process of its own: what is wrong here hangs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.outside import PATIENCE, ROOT


def interrupting(folder: Path, *words: str, patience: float = PATIENCE) -> list[str]:
    """What the program says that is interrupted again and again."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.interrupting", str(folder), *words],
        capture_output=True,
        text=True,
        timeout=patience,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN, reason="SIGINT is ignored here"
)
class TestEverywhere:
    """No thread is left, Ctrl-C stays what it was, and a checkpoint is gone on with."""

    def test_some_lines(self, tmp_path: Path) -> None:
        """Lines from one end to the other, with an odd number of others between them."""
        search, compiled = interrupting(tmp_path, "31")
        assert int(search.split()[1]) > 10
        assert int(compiled.split()[1]) > 10

    @pytest.mark.long
    def test_every_line(self, tmp_path: Path) -> None:
        """All lines."""
        interrupting(tmp_path, "1", patience=3600)
