"""The failure of a Spark job in one sentence, made from stack traces of Java and Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from specmodel.engines.spark.run_directory import RunDirectory
from specmodel.engines.spark.session import Session, SparkError

STACK = "spark-error.txt"

_PYTHON = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Run|Model|Limit)): (.+)$", re.MULTILINE)
_FULL = re.compile(r"\[Errno (?:28|122)\] .*?(?:: '([^']*)')?$", re.MULTILINE)
_LOST = re.compile(r"ExecutorLostFailure \(.*?\) ?Reason: ([^\n]+)")

_NO_PACKAGES = re.compile(
    r"No module named '?(specmodel|pyarrow|llvmlite|numpy)|Cannot run program \"[^\"]*python"
)
"""What is said on a machine without specmodel, or without the Python that has it here."""

_NO_PYTHON = re.compile(r"(python[\d.]+): not found")
"""What is said on a machine without the Python that an archive needs."""


class JobFailure(SparkError):  # noqa: N818 - as a person says
    """Why a job has failed. `stopped`: the search is to end as at a limit."""

    def __init__(self, message: str, stopped: str = "") -> None:
        super().__init__(message)
        self.stopped = stopped


def readable_failure(
    wrong: BaseException, session: Session, run: RunDirectory | None = None
) -> JobFailure:
    """The error that a person can act on. The stack traces go into a file of the run."""
    java: Any = getattr(wrong, "java_exception", None)
    text = f"{wrong}\n{java.toString() if java is not None else ''}"
    if full := _FULL.search(text):
        where = f" ({full[1]})" if full[1] else ""
        if run is None:
            return JobFailure(f"a disk is full{where}")
        return JobFailure(
            f"a disk is full{where}: what is on record in {run.path} is whole, and the same "
            "command goes on from there once there is room",
            "disk-full",
        )
    kept = _keep(text, run, session)
    if _NO_PACKAGES.search(text):
        return JobFailure(
            "Spark's tasks find no specmodel: `specmodel pack` makes an archive for a cluster's "
            f"machines, and prints the line for spark-defaults.conf ({kept})"
        )
    if missing := _NO_PYTHON.search(text):
        return JobFailure(
            f"a machine of the cluster has no {missing[1]} on its PATH: the archive of `specmodel "
            f"pack` needs the version that made it ({kept})"
        )
    if lost := _LOST.search(text):
        return JobFailure(f"Spark lost an executor too often: {lost[1].strip()} ({kept})")
    found = _PYTHON.findall(text)
    if found:
        name, message = found[-1]
        return JobFailure(
            f"a task of Spark has failed: {name.rpartition('.')[2]}: {message} ({kept})"
        )
    if java is None and session.java_ended():
        return JobFailure(f"Spark's Java has ended, or was killed ({kept})")
    first = text.strip().partition("\n")[0]
    return JobFailure(f"Spark has failed: {first} ({kept})")


def _keep(text: str, run: RunDirectory | None, session: Session) -> str:
    """Writes stack traces to a file; returns the sentence that names the file."""
    session.errors.append(text)
    if run is None or not run.kept:
        path = session.log.with_suffix(".txt")
    else:
        path: Path = run.path / STACK
    try:
        path.write_text(text, encoding="utf-8")
    except OSError:
        return f"Spark's log is {session.log}"
    return f"details in {path}, Spark's log is {session.log}"
