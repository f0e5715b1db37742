"""The Spark engine on this machine, measured once Spark has started and has its kernel loaded.

As a program, `python -m benchmarks.on_spark WORKERS R,L,N,E` prints the JSON report of a search
that comes after smaller ones in the same Spark.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from benchmarks.configuration import INVARIANTS, LARGE, SMALLEST, Configuration
from benchmarks.own_engine import parse
from benchmarks.process import NotPresentError, run
from benchmarks.sample import Sample

WARMING = 3
"""Searches of the smallest size before the one that counts."""

SPREADING = 2_500_000
"""States of LARGE that are searched before: the driver searches the first levels itself, and Spark
starts its Python workers for the later ones."""


def prepare(workers: int, configuration: Configuration, cache: Path) -> Callable[[], Sample]:
    """What searches with so many tasks at a time. Raises NotPresentError without Spark."""
    if find_spec("pyspark") is None:
        raise NotPresentError("Spark is not installed: pip install 'specmodel[spark]'")
    words = [sys.executable, "-m", "benchmarks.on_spark", str(workers), _bounds(configuration)]
    return partial(_measure, words, cache)


def _measure(words: Sequence[str], cache: Path) -> Sample:
    return parse(run(words, environment={"SPECMODEL_CACHE": str(cache)}))


def _bounds(configuration: Configuration) -> str:
    return ",".join(map(str, configuration.constants.values()))


def main(words: Sequence[str]) -> None:
    """Search after smaller searches, and print how the last one went."""
    import specmodel
    from specmodel.views.json_result import result_json

    workers, wanted = int(words[0]), Configuration.parse(words[1])

    def search(configuration: Configuration, most: int | None = None) -> specmodel.Result:
        design = specmodel.load("kip320", **configuration.constants)  # type: ignore[arg-type]
        return specmodel.check(
            design, engine="spark", workers=workers, properties=INVARIANTS, max_states=most
        )

    for _ in range(WARMING):
        search(SMALLEST)
    search(LARGE, SPREADING)
    print(result_json(search(wanted)))


if __name__ == "__main__":
    main(sys.argv[1:])
