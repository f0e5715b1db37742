"""How long it takes to make the kernel of `kip320`, once LLVM is there, or to load it without.

Run as a program with the folder of a cache, it prints two times in seconds: of the first kernel of
this process, and of one for the same design loaded once more.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from benchmarks.process import MeasurementError, run


def made_seconds(cache: Path) -> float:
    """Seconds for a kernel that no cache has."""
    for held in cache.rglob("*.code"):
        held.unlink()
    return _seconds(cache)[0]


def loaded_seconds(cache: Path) -> float:
    """Seconds for a kernel from the cache, in a process that has had it before."""
    return _seconds(cache)[1]


def _seconds(cache: Path) -> tuple[float, float]:
    finished = run([sys.executable, "-m", "benchmarks.kernel", str(cache)])
    try:
        first, second = map(float, finished.output.split())
    except ValueError as error:
        raise MeasurementError(f"the time of a kernel could not be read: {error}") from error
    return first, second


def _kernel_seconds(make: bool) -> float:
    import specmodel
    from specmodel.kernel.kernel import Kernel
    from specmodel.machine import objects

    if make:
        objects.compile_object(objects.host(), "")  # loads LLVM
    design = specmodel.load("kip320")
    started = time.perf_counter()
    Kernel(design.spec, design.chosen(["weak_isr", "strong_isr"]))
    return time.perf_counter() - started


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.kernel FOLDER")
    os.environ["SPECMODEL_CACHE"] = sys.argv[1]
    print(_kernel_seconds(make=True), _kernel_seconds(make=False))
