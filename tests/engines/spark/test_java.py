"""A Java that is too old, hangs, or goes away: a sentence, and nothing is left behind."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from specmodel.engines.spark import java, session
from specmodel.errors import UsageError
from tests.outside import PATIENCE, interrupted, wait_for


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The `java` of a JAVA_HOME, yet to be written."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    file = tmp_path / "bin" / "java"
    file.parent.mkdir()
    file.touch(0o755)
    return file


OLD = [
    ("echo 'java version \"1.8.0_381\"' >&2", 'says: java version "1.8.0_381"'),
    ("echo 'openjdk version \"11.0.2\" 2019-01-15' >&2", 'says: openjdk version "11.0.2"'),
    ("exit 3", "says: nothing"),
    ("echo broken; exit 1", "says: broken"),
]


@pytest.mark.parametrize(("script", "message"), OLD, ids=[m for _, m in OLD])
def test_java_that_is_too_old(program: Path, script: str, message: str) -> None:
    """Whatever it says of itself is in the message, with what to do."""
    program.write_text(f"#!/bin/sh\n{script}\n")
    with pytest.raises(UsageError) as wrong:
        java.refuse_unfit(java.find_java())
    told = str(wrong.value)
    assert "Spark needs Java 17 or newer, and the one of JAVA_HOME" in told
    assert message in told and "set JAVA_HOME to a newer one" in told


def test_java_is_looked_at_before_spark_is_started(program: Path) -> None:
    """Spark would say that its gateway exited.

    In a process of its own: in this one there may be a Spark already.
    """
    (script, message), *_ = OLD
    program.write_text(f"#!/bin/sh\n{script}\n")
    words = ["check", "two-phase-commit", "--engine", "spark", "-q"]
    command = [sys.executable, "-m", "specmodel", *words]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert message in " ".join(ran.stderr.split())


def ended(pid: int) -> bool:
    """Whether a process has ended, waited for or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_java_that_hangs(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets some seconds to answer, and is ended then, with all that it has started."""
    monkeypatch.setattr(java, "ANSWERS_WITHIN", 2.0)
    program.write_text(f"#!/bin/sh\nsleep 10000 &\necho $! > {tmp_path}/pid\nwait\n")
    with pytest.raises(UsageError, match="does not answer `-version` within 2 s"):
        java.refuse_unfit(java.find_java())
    child, until = int((tmp_path / "pid").read_text()), time.monotonic() + PATIENCE
    while not ended(child):
        assert time.monotonic() < until


REFUSAL = 'Exception in thread "main" a.SparkException: A cluster must be set in the environment.'

ANSWERS = """#!/bin/sh
[ "$1" = -version ] && echo 'openjdk version "17.0.1"' && exit
echo $$ > {folder}/part
mv {folder}/part {folder}/pid
"""


@pytest.mark.parametrize(
    ("then", "within", "message"),
    [
        ("exec sleep 10000", 3.0, "the Java of JAVA_HOME (*/bin/java) is not up after 3 s"),
        ("exit 0", 60.0, "*gateway*exited*"),
        (f"echo '{REFUSAL}' >&2; exit 1", 60.0, "a cluster must be set in the environment"),
    ],
    ids=["hangs", "ends", "refuses"],
)
def test_java_that_answers_and_does_not_come_up(
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    then: str,
    within: float,
    message: str,
) -> None:
    """Spark waits for it for ever, and for one that has ended without an error as well."""
    pyspark: Any = importlib.import_module("pyspark")
    session.stop()
    monkeypatch.setattr(pyspark.SparkContext, "_gateway", None)
    monkeypatch.setattr(java, "UP_WITHIN", within)
    program.write_text(ANSWERS.format(folder=tmp_path) + then)
    with pytest.raises(session.SparkError) as wrong:
        session.session(None, 2)
    said, _, log = str(wrong.value).partition("; its log is ")
    assert fnmatch(said.lower(), f"spark does not start on local[[]*]: {message}".lower())
    Path(log).unlink()
    child, until = int((tmp_path / "pid").read_text()), time.monotonic() + PATIENCE
    while not ended(child):
        assert time.monotonic() < until


@pytest.mark.parametrize("before", ["", ANSWERS], ids=["asked", "started"])
def test_ctrl_c_to_java_that_hangs(program: Path, tmp_path: Path, before: str) -> None:
    """The command ends, and Java with it, whether it is asked for its version or started."""
    own = "#!/bin/sh\necho $$ > {folder}/part\nmv {folder}/part {folder}/pid\n"
    program.write_text((before or own).format(folder=tmp_path) + "exec sleep 10000\n")
    command = [sys.executable, "-m", "specmodel", "check", "two-phase-commit", "--engine", "spark"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ran = interrupted(process, lambda: (tmp_path / "pid").exists())
    assert (ran.code, ran.err) == (3, "error: interrupted\n")
    child, until = int((tmp_path / "pid").read_text()), time.monotonic() + PATIENCE
    while not ended(child):  # it was killed: the system may take a moment to end it
        assert time.monotonic() < until


def children(pid: int) -> list[int]:
    """The processes that one has started and that run `java`."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(c) for c in found if Path(f"/proc/{c}/comm").read_text().strip() == "java"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for Java in /proc")
def test_java_is_killed(tmp_path: Path) -> None:
    """One line says so: no tracebacks of Spark's own before it."""
    run = tmp_path / "run"
    words = ["check", "kip320", "--engine", "spark", "-q", "--run", str(run)]
    process = subprocess.Popen(
        [sys.executable, "-m", "specmodel", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: (run / "levels" / "level=0002.json").exists(), process)
        for child in children(process.pid):
            os.kill(child, signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, out) == (2, "")
    assert err.startswith("error: Spark's Java has ended, or was killed (details in ")
    assert err.count("\n") == 1, err
