"""Faults planted one at a time into a copy of the package, and the tests that find them.

    python -m tests.mutants            all of them; `--only TEXT` those with it in their names
    python -m tests.mutants --table    as rows of docs/internals/soundness.md

Each fault is a piece of source replaced by another that still compiles and is wrong in a way that
such code goes wrong. The tests that should find it are run on the copy, in order, until one fails.
A fault that none of them finds is reported, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.planted import FAULTS, Fault

ROOT = Path(__file__).parents[1]
PATIENCE = 900.0
"""Seconds after which a test that does not end counts as failed."""

COPIED = ("specmodel", "tests", "models", "pyproject.toml")


@dataclass(frozen=True)
class Outcome:
    """What became of a fault: the test that found it, or "" if none did, and how long it took."""

    fault: Fault
    found: str
    seconds: float


@contextmanager
def copy() -> Iterator[Path]:
    """A copy of what tests need, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        made = Path(folder)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, made / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, made / name)
        yield made


def planted(folder: Path, fault: Fault) -> str:
    """Plants a fault in a copy; the file as it was. Raises ValueError if it no longer fits."""
    file = folder / "specmodel" / fault.file
    text = file.read_text(encoding="utf-8")
    if text.count(fault.right) != 1:
        raise ValueError(f"{fault.name}: {fault.file} has its text {text.count(fault.right)} times")
    file.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    return text


def finder(folder: Path, tests: Sequence[str]) -> str:
    """The first test of some that fails in a copy; "" if all pass."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["SPECMODEL_CACHE"] = str(folder / "cache")
    for test in tests:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        command += ["--hypothesis-seed=0", *test.split()]
        try:
            ran = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return f"{test} (no end)"
        if ran.returncode:
            named = re.search(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
            return named.group(1) if named else f"{test} (exit code {ran.returncode})"
    return ""


def outcomes(faults: Sequence[Fault]) -> Iterator[Outcome]:
    """What becomes of each fault, as soon as it is known."""
    with copy() as folder:
        for fault in faults:
            started = time.perf_counter()
            text = planted(folder, fault)
            found = finder(folder, fault.tests)
            (folder / "specmodel" / fault.file).write_text(text, encoding="utf-8")
            yield Outcome(fault, found, time.perf_counter() - started)


def main() -> int:
    parser = argparse.ArgumentParser(description="Plants faults and says which tests find them.")
    parser.add_argument("--only", default="", help="faults with this text in their names")
    parser.add_argument("--table", action="store_true", help="as rows of a table")
    options = parser.parse_args()
    chosen = [fault for fault in FAULTS if options.only in fault.name]
    missed = 0
    for number, outcome in enumerate(outcomes(chosen), start=1):
        fault, found = outcome.fault, outcome.found
        missed += not found
        if options.table:
            say(f"| {fault.name} | `{fault.file}` | `{short(found)}` |")
        else:
            said = f"found by {found}" if found else "NOT FOUND"
            say(f"{number:3} {fault.name}: {said} ({outcome.seconds:.0f} s)")
    if not options.table:
        say(f"{len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed else 0


def say(line: str) -> None:
    """Prints a line at once: a run takes long."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def short(test: str) -> str:
    """A test without the folder that all are in."""
    return test.removeprefix("tests/")


if __name__ == "__main__":
    sys.exit(main())
