"""SPIN on kip320.pml: generates a verifier in C, compiles it, runs it."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.configuration import KNOWN_SPACES, Configuration
from benchmarks.process import Finished, MeasurementError, NotPresentError, run
from benchmarks.sample import Sample

MODEL = Path(__file__).with_name("kip320.pml")

BUILDS = {
    "spin, plain": ("-O2", "-DSAFETY"),
    "spin, tuned": (
        *("-O2", "-march=native", "-DSAFETY"),
        *("-DNOREDUCE", "-DNOCOMP", "-DNOBOUNDCHECK"),
    ),
    "spin, tuned, 64-bit hash": (
        *("-O3", "-march=native", "-DSAFETY"),
        *("-DNOREDUCE", "-DNOCOMP", "-DNOBOUNDCHECK", "-DHASH64"),
    ),
}
"""Compiler arguments of each build. All store whole states: hash compaction and bit-state
hashing may miss states, so their counts could not be compared."""


def prepare(build: str, configuration: Configuration, scratch: Path) -> Callable[[], Sample]:
    """Compile the verifier in a folder of its own under `scratch` and return what runs it.

    Raises NotPresentError without spin or gcc, MeasurementError if either fails.
    """
    for program in ("spin", "gcc"):
        if shutil.which(program) is None:
            raise NotPresentError(f"{program}: apt-get install spin gcc")
    directory = scratch / f"{build} {configuration}".replace(" ", "-")
    directory.mkdir()
    shutil.copy(MODEL, directory)
    defines = [f"-D{name.upper()}={value}" for name, value in configuration.constants.items()]
    run(["spin", *defines, "-a", MODEL.name], directory=directory)
    run(["gcc", "-w", *BUILDS[build], "-o", "pan", "pan.c"], directory=directory)
    # At least one slot a state: more only adds cache misses, fewer makes chains.
    known = KNOWN_SPACES.get(configuration)
    slots = math.ceil(math.log2(known.distinct)) if known else 24
    command = ["./pan", f"-w{slots}", "-m100000"]
    return lambda: parse(run(command, directory=directory))


def parse(finished: Finished) -> Sample:
    """Read the summary of a verifier. Raises MeasurementError if it found an error or stopped.

    SPIN rounds its own clock to 10 ms: a run that it says took none is given its wall time.
    """
    output = finished.output
    stored = re.search(r"^\s*(\d+) states, stored", output, re.M)
    transitions = re.search(r"^\s*(\d+) transitions", output, re.M)
    elapsed = re.search(r"^pan: elapsed time ([\d.e+-]+) seconds", output, re.M)
    if stored is None or transitions is None or elapsed is None:
        raise MeasurementError("SPIN printed no summary: " + " | ".join(finished.lines[-5:]))
    if "errors: 0" not in output or "max search depth too small" in output:
        raise MeasurementError("SPIN found an error or cut its search short")
    return Sample(
        distinct=int(stored[1]),
        generated=int(transitions[1]),
        depth=None,  # A depth-first search knows its longest path, not the longest shortest one.
        search_seconds=float(elapsed[1]) or finished.wall_seconds,
        wall_seconds=finished.wall_seconds,
        peak_rss=finished.peak_rss,
    )
