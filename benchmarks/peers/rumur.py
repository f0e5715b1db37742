"""Rumur on kip320.m: generates a verifier in C, compiles it, runs it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.configuration import Configuration
from benchmarks.process import Finished, MeasurementError, NotPresentError, run
from benchmarks.sample import Sample

MODEL = Path(__file__).with_name("kip320.m")


def model_text(configuration: Configuration) -> str:
    """The model with its four constants set to `configuration`."""
    text = MODEL.read_text(encoding="utf-8")
    for name, value in configuration.constants.items():
        text = re.sub(rf"^  {name.upper()}: \d+;", f"  {name.upper()}: {value};", text, flags=re.M)
    return text


def prepare(threads: int, configuration: Configuration, scratch: Path) -> Callable[[], Sample]:
    """Compile the verifier in a folder of its own under `scratch` and return what runs it.

    Raises NotPresentError without rumur or gcc, MeasurementError if either fails.
    """
    for program in ("rumur", "gcc"):
        if shutil.which(program) is None:
            raise NotPresentError(f"{program}: apt-get install rumur gcc")
    directory = scratch / f"rumur-{threads}-{configuration}"
    directory.mkdir()
    (directory / "kip320.m").write_text(model_text(configuration), encoding="utf-8")
    generate = ["rumur", "--threads", str(threads), "--symmetry-reduction", "off"]
    generate += ["--deadlock-detection", "off", "--counterexample-trace", "off", "--color", "off"]
    generate += ["--set-capacity", str(256 << 20), "--output", "verifier.c", "kip320.m"]
    run(generate, directory=directory)
    compile_ = ["gcc", "-w", "-std=c11", "-O3", "-march=native", "verifier.c", "-o", "verifier"]
    run([*compile_, "-lpthread", "-latomic"], directory=directory)
    return lambda: parse(run(["./verifier"], directory=directory))


def parse(finished: Finished) -> Sample:
    """Read the summary of a verifier. Raises MeasurementError if it found an error.

    Rumur prints whole seconds, so the search time is the wall time of the verifier.
    """
    summary = re.search(r"^\s*(\d+) states, (\d+) rules fired in", finished.output, re.M)
    if summary is None or "No error found" not in finished.output:
        raise MeasurementError("rumur found an error: " + " | ".join(finished.lines[-5:]))
    return Sample(
        distinct=int(summary[1]),
        generated=int(summary[2]) + 1,  # It does not count the start state.
        depth=None,
        search_seconds=finished.wall_seconds,
        wall_seconds=finished.wall_seconds,
        peak_rss=finished.peak_rss,
    )
