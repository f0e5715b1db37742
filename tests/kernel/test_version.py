"""The cache of compiled code knows code by its text: not by its folder, nor by when it was written.

CI keeps the cache from build to build, and each build has a checkout of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import specmodel
from tests.conftest import COUNTER

PACKAGE = Path(specmodel.__file__).parent


def kept_by(clone: Path, cache: Path) -> set[str]:
    """The files of compiled code after a check by the package in a folder."""
    (clone / "counter.py").write_text(COUNTER)
    ended = subprocess.run(
        [sys.executable, "-m", "specmodel", "check", "counter.py:fine", "--quiet"],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(clone), "SPECMODEL_CACHE": str(cache)},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return {file.name for file in (cache / "objects").glob("*.code")}


def cloned(folder: Path, time: int) -> Path:
    """A folder with a copy of the package, all of whose files were written at some time."""
    shutil.copytree(PACKAGE, folder / "specmodel", ignore=shutil.ignore_patterns("__pycache__"))
    for file in folder.rglob("*.py"):
        os.utime(file, (time, time))
    return folder


def test_a_clone_with_the_same_text_compiles_nothing(tmp_path: Path) -> None:
    """Elsewhere and at another time; one character more, with the same size or not, is compiled."""
    cache = tmp_path / "cache"
    kept = kept_by(cloned(tmp_path / "one", 1_000_000_000), cache)
    assert kept
    another = cloned(tmp_path / "two", 1_500_000_000)
    assert kept_by(another, cache) == kept
    for name in (
        "kernel/successors.py",
        "domains/composites.py",
        "machine/words.py",
        "engines/native/loop/steps.py",
    ):
        file = another / "specmodel" / name
        file.write_text(file.read_text().replace(".", "!", 1))
        before, kept = kept, kept_by(another, cache)
        assert kept > before, name
