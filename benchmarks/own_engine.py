"""specmodel itself, measured from outside through its command line and JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from benchmarks.configuration import INVARIANTS, Case, Configuration
from benchmarks.process import Finished, MeasurementError, run
from benchmarks.sample import Sample


@dataclass(frozen=True)
class OwnEngine:
    """One engine of specmodel with a number of workers; None leaves the number to specmodel.

    `command` starts specmodel, `cache` is its folder of compiled kernels, `options` are more words
    of the command line.
    """

    command: Sequence[str]
    engine: str
    workers: int | None
    cache: Path
    options: Sequence[str] = ()

    def search(self, case: Case) -> Sample:
        """Check a design once. Raises MeasurementError unless it is complete and holds."""
        words = [*self.command, "check", case.design, "--engine", self.engine, "--format", "json"]
        for name in case.invariants:
            words += ["--invariant", name]
        for name, value in case.constants.items():
            words += ["--set", f"{name}={value}"]
        if case.symmetric:
            words.append("--symmetry")
        words += self.options
        if self.workers is not None:
            words += ["--workers", str(self.workers)]
        return parse(run(words, environment={"SPECMODEL_CACHE": str(self.cache)}))

    def prepare(self, case: Case) -> Callable[[], Sample]:
        """What searches with the kernels that earlier runs left in the cache."""
        return partial(self.search, case)

    def prepare_filled(self, case: Case) -> Callable[[], Sample]:
        """What searches with its kernel in the cache for certain, by a run that is not counted."""
        self.search(case)
        return self.prepare(case)

    def prepare_empty(self, case: Case) -> Callable[[], Sample]:
        """What searches with the cache emptied each time: the cost of a first run."""

        def measure() -> Sample:
            shutil.rmtree(self.cache, ignore_errors=True)
            return self.search(case)

        return measure


def walk_seconds(
    command: Sequence[str], cache: Path, walks: int, configuration: Configuration
) -> float:
    """Seconds a million steps of random walks on one core, invariants looked at.

    Raises MeasurementError when they violate something or the report cannot be read.
    """
    words = [*command, "simulate", "kip320", "--workers", "1", "--format", "json"]
    words += ["--walks", str(walks), *(word for n in INVARIANTS for word in ("--invariant", n))]
    for name, value in configuration.constants.items():
        words += ["--set", f"{name}={value}"]
    finished = run(words, environment={"SPECMODEL_CACHE": str(cache)})
    try:
        result = cast(dict[str, Any], json.loads(finished.output))
        verdict, ended = result["verdict"], int(result["walks"])
        seconds = float(result["seconds"]) / int(result["steps"]) * 1e6
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise MeasurementError(f"specmodel's JSON report could not be read: {error!r}") from error
    if verdict != "incomplete" or ended != walks:
        raise MeasurementError(f"specmodel gave {verdict!r} after {ended} walks of {walks}")
    return seconds


def parse(finished: Finished) -> Sample:
    """Read the JSON result. Raises MeasurementError when it is not a complete, holding one."""
    try:
        result = cast(dict[str, Any], json.loads(finished.output))
        complete, verdict = result["complete"], result["verdict"]
        sample = Sample(
            distinct=int(result["distinct"]),
            generated=int(result["generated"]),
            depth=int(result["depth"]),
            search_seconds=float(result["seconds"]),
            wall_seconds=finished.wall_seconds,
            peak_rss=finished.peak_rss,
            compile_seconds=float(result["compile_seconds"]),
            held=int(result["memory"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise MeasurementError(f"specmodel's JSON result could not be read: {error!r}") from error
    if not complete or verdict != "holds":
        raise MeasurementError(f"specmodel gave {verdict!r}, complete={complete}")
    return sample


def help_seconds(command: Sequence[str]) -> float:
    """Wall time of `specmodel --help`."""
    return run([*command, "--help"]).wall_seconds
