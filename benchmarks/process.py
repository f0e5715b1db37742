"""Runs one program and records when each line came, how long it took and its peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

STARTER = Path(__file__).with_name("starter.py")


class MeasurementError(Exception):
    """A program that is present did not give a usable figure; the message says which and why."""


class NotPresentError(Exception):
    """A peer is not installed; the message says how to install it."""


@dataclass(frozen=True)
class Finished:
    """A program that ended with exit code 0.

    `arrivals` holds for each line of standard output the seconds since the start. `peak_rss` is in
    bytes: the most that the program had, or one of the children that it waited for.
    """

    lines: tuple[str, ...]
    arrivals: tuple[float, ...]
    wall_seconds: float
    peak_rss: int

    @property
    def output(self) -> str:
        """The whole of standard output."""
        return "\n".join(self.lines)

    def arrival_of(self, prefix: str) -> float:
        """When the first line starting with `prefix` came. Raises MeasurementError if none did."""
        for line, seconds in zip(self.lines, self.arrivals, strict=True):
            if line.startswith(prefix):
                return seconds
        raise MeasurementError(f"no line of the output starts with {prefix!r}")


def _environment() -> dict[str, str]:
    """This process's environment, but Python keeps its bytecode, as it does for its users."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(
    command: Sequence[str | Path],
    *,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run `command` to its end, with `environment` on top of this process's own.

    Raises MeasurementError with the end of its output when the exit code is not 0.
    """
    words = [str(word) for word in command]
    lines: list[str] = []
    arrivals: list[float] = []
    reading, writing = os.pipe()
    starter = [sys.executable, "-I", "-S", str(STARTER), str(writing)]
    with (
        os.fdopen(reading) as report,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints,
    ):
        process = subprocess.Popen(
            [*starter, *words],
            cwd=directory,
            env={**_environment(), **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            errors="replace",
            pass_fds=[writing],
        )
        os.close(writing)
        with process:
            for line in process.stdout or ():
                arrivals.append(time.perf_counter())
                lines.append(line.rstrip("\n"))
        told = report.readline().split()
        if told[:1] == ["cannot"]:
            raise MeasurementError(f"cannot run {words[0]}: {os.strerror(int(told[1]))}")
        if len(told) != 4:
            raise MeasurementError(f"cannot run {words[0]}: what starts it was ended")
        started, ended = float(told[0]), float(told[1])
        code = os.waitstatus_to_exitcode(int(told[2]))
        if code != 0:
            complaints.seek(0)
            last = [*lines[-5:], *complaints.read().splitlines()[-5:]]
            raise MeasurementError(
                f"{' '.join(words[:4])} ... ended with exit code {code}: " + " | ".join(last)
            )
    since = tuple(arrival - started for arrival in arrivals)
    return Finished(tuple(lines), since, ended - started, int(told[3]))
