"""The archive for executors: a Python without specmodel runs tasks with it."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from specmodel.engines.spark import packing
from specmodel.engines.spark.failures import readable_failure
from specmodel.engines.spark.session import Session
from specmodel.errors import UsageError
from tests.conftest import Specmodel

TASK = """
import specmodel.engines.spark.daemon, specmodel.engines.spark.shard_tasks as tasks
import sys, specmodel, pyarrow, llvmlite, pyspark
print([module.__file__ for module in (specmodel, tasks, pyarrow, llvmlite, pyspark)])
"""


def test_it_has_all_that_tasks_import(specmodel: Specmodel, tmp_path: Path) -> None:
    """Unpacked anywhere, its `python` finds each package beside itself, without this Python's."""
    ran = specmodel("pack", str(tmp_path / "packed.tar.gz"))
    assert ran.code == 0
    assert re.search(r"packed\.tar\.gz: \d+ packages, \d+ MB$", ran.err, re.MULTILINE)
    assert ran.out == f"spark.archives  {tmp_path}/packed.tar.gz#specmodel\n"
    place = tmp_path / "elsewhere"
    with tarfile.open(tmp_path / "packed.tar.gz") as packed:
        packed.extractall(place, filter="data")
    base = Path(sys.base_prefix, "bin")
    found = subprocess.run(
        [place / "bin/python", "-c", TASK],
        cwd=tmp_path,
        env={"PATH": f"{base}:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.count(f"'{place}/site-packages/") == 5
    assert not list(place.rglob("*.jar"))


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A package that is not installed is named, a place that cannot be written, a wrong suffix."""
    with pytest.raises(UsageError, match=r"end with \.tar\.gz or \.tgz"):
        packing.pack(tmp_path / "packed.zip")
    with pytest.raises(UsageError, match="cannot write /dev/null/a"):
        packing.pack(Path("/dev/null/a.tgz"))
    monkeypatch.setattr(packing, "EXTRAS", ())
    with pytest.raises(UsageError, match=r"pip install 'specmodel\[data\]'"):
        packing.pack(tmp_path / "packed.tar.gz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "said",
    [
        "Error while finding module specification for 'specmodel.engines.spark.daemon' "
        "(ModuleNotFoundError: No module named 'specmodel')",
        'Cannot run program "/home/me/.venv/bin/python": error=2, No such file or directory',
    ],
)
def test_machines_without_it(said: str, tmp_path: Path) -> None:
    """The error says what to do."""
    session = Session(None, "yarn", tmp_path / "spark.log")
    told = str(readable_failure(RuntimeError(said), session))
    assert "Spark's tasks find no specmodel: `specmodel pack` makes an archive" in told


def test_machines_without_its_python(tmp_path: Path) -> None:
    """The error names the version that is missing."""
    said = RuntimeError("./specmodel/bin/python: 5: exec: python3.11: not found")
    told = str(readable_failure(said, Session(None, "yarn", tmp_path / "spark.log")))
    assert "a machine of the cluster has no python3.11 on its PATH" in told
