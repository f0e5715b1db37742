"""`python -m benchmarks`: measure specmodel and its peers and print how they compare."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks import consensus, on_spark, report, targets
from benchmarks.components import seconds_a_million_edges
from benchmarks.configuration import HUGE, LARGE, MAIN, SMALLEST, Case, Configuration
from benchmarks.kernel import loaded_seconds, made_seconds
from benchmarks.memory import have_at_hand
from benchmarks.own_engine import OwnEngine, help_seconds, walk_seconds
from benchmarks.peers import rumur, spin, tlc
from benchmarks.process import MeasurementError, NotPresentError
from benchmarks.sample import Contender, Sample, Timing

OWN_WALKS, TLC_WALKS = 1_000_000, 20_000
"""Random walks to make: a second or two of specmodel's, half a minute of TLC's."""

OFTEN = 3
"""How often a round measures what is short."""


@dataclass
class Bench:
    """What is to be measured, what could not be, and why."""

    scratch: Path
    contenders: list[Contender] = field(default_factory=list[Contender])
    timings: list[Timing] = field(default_factory=list[Timing])
    missing: list[str] = field(default_factory=list[str])
    failures: list[str] = field(default_factory=list[str])

    def add(
        self,
        name: str,
        configuration: Case,
        workers: int | None,
        rounds: int,
        prepare: Callable[[], Callable[[], Sample]],
    ) -> None:
        """Prepare a contender; one that is absent or cannot be prepared is noted instead."""
        if rounds == 0:
            return
        try:
            measure = prepare()
        except NotPresentError as absent:
            if str(absent) not in self.missing:
                self.missing.append(str(absent))
        except MeasurementError as failure:
            self.failures.append(f"{name}, {configuration}: {failure}")
        else:
            self.contenders.append(Contender(name, configuration, workers, measure, rounds))

    def time(self, name: str, rounds: int, prepare: Callable[[], Callable[[], float]]) -> None:
        """Prepare a command that is only timed; one that is absent is noted instead."""
        try:
            self.timings.append(Timing(name, prepare(), rounds))
        except NotPresentError as absent:
            if str(absent) not in self.missing:
                self.missing.append(str(absent))

    def measure(self) -> None:
        """Take turns: every round measures each contender once, so that noise hits all alike."""
        measured: list[Contender | Timing] = [*self.contenders, *self.timings]
        for number, item in turns(measured):
            print(f"round {number}: {item.label}", file=sys.stderr, flush=True)
            have_at_hand(item.states)
            try:
                item.take()
            except MeasurementError as failure:
                self.failures.append(f"{item.label}, round {number}: {failure}")
                measured.remove(item)


def turns(measured: list[Contender | Timing]) -> Iterator[tuple[int, Contender | Timing]]:
    """What is measured when, with the number of the round; nothing that is removed meanwhile.

    What takes little time is measured more often, still taking turns: noise hits it most.
    """
    for round_ in range(max((item.rounds for item in measured), default=0)):
        for turn in range(OFTEN):
            for item in [i for i in measured if round_ < i.rounds and (turn == 0 or i.short)]:
                yield round_ + 1, item


def add_own(
    bench: Bench, command: Sequence[str], searches: dict[Configuration, int], repeat: int
) -> None:
    """specmodel with its kernel cache filled and emptied, its interpreter, and its start."""
    filled, emptied = bench.scratch / "filled-cache", bench.scratch / "emptied-cache"
    for size, rounds in {SMALLEST: repeat, **searches}.items():
        for name, workers in ((targets.NATIVE_1, 1), (targets.NATIVE_2, 2)):
            own = OwnEngine(command, "native", workers, filled)
            bench.add(name, size, workers, rounds, partial(own.prepare, size))
    size, rounds = next(iter(searches.items()))
    for name, workers in ((targets.NATIVE_1, 1), (targets.NATIVE_2, 2)):
        own = OwnEngine(command, "native", workers, filled)
        bench.add(name, size.up_to_names, workers, rounds, partial(own.prepare, size.up_to_names))
    if LARGE in searches:
        spilled = ("--spill", str(bench.scratch / "spilled"), "--max-memory", "100M")
        for name, options in ((targets.COMPRESSED, ("--compress",)), (targets.SPILLED, spilled)):
            own = OwnEngine(command, "native", 1, filled, options)
            bench.add(name, LARGE, 1, searches[LARGE], partial(own.prepare, LARGE))
    own = OwnEngine(command, "interpret", 1, filled)
    bench.add(targets.INTERPRETER, SMALLEST, 1, repeat, partial(own.prepare, SMALLEST))
    if MAIN in searches:
        own = OwnEngine(command, "native", None, filled)
        bench.add(targets.FILLED_CACHE, MAIN, None, repeat, partial(own.prepare_filled, MAIN))
        own = OwnEngine(command, "native", None, emptied)
        bench.add(targets.EMPTY_CACHE, MAIN, None, repeat, partial(own.prepare_empty, MAIN))
    components = partial(seconds_a_million_edges, size)
    bench.timings.append(Timing(targets.COMPONENTS, components, rounds))
    bench.timings.append(Timing(targets.HELP, partial(help_seconds, command), repeat))
    kernels = bench.scratch / "kernels"
    bench.timings.append(Timing(targets.KERNEL_MADE, partial(made_seconds, kernels), repeat))
    bench.timings.append(Timing(targets.KERNEL_LOADED, partial(loaded_seconds, kernels), repeat))
    if MAIN in searches:
        walk = partial(walk_seconds, command, filled, OWN_WALKS, MAIN)
        bench.timings.append(Timing(targets.WALKS, walk, repeat))


def add_spark(bench: Bench, searches: dict[Configuration, int]) -> None:
    """The Spark engine on all sizes, and with one slot on the large ones."""
    cache = bench.scratch / "filled-cache"
    for size, rounds in {SMALLEST: max(searches.values()), **searches}.items():
        bench.add(targets.SPARK_2, size, 2, rounds, partial(on_spark.prepare, 2, size, cache))
        if size in (LARGE, HUGE):
            prepare = partial(on_spark.prepare, 1, size, cache)
            bench.add(targets.SPARK_1, size, 1, rounds, prepare)


def add_native(bench: Bench, command: Sequence[str], searches: dict[Configuration, int]) -> None:
    """The native engine with one worker: what Spark is held against."""
    own = OwnEngine(command, "native", 1, bench.scratch / "filled-cache")
    for size, rounds in searches.items():
        bench.add(targets.NATIVE_1, size, 1, rounds, partial(own.prepare, size))


def add_peers(
    bench: Bench,
    tools: Path | None,
    modules: Sequence[Path],
    searches: dict[Configuration, int],
    tlc_repeat: int,
) -> None:
    """SPIN on all configurations; rumur and TLC, which are slower, on the first only."""
    scratch = bench.scratch
    for size, rounds in searches.items():
        for build in spin.BUILDS:
            bench.add(build, size, 1, rounds, partial(spin.prepare, build, size, scratch))
    size, rounds = next(iter(searches.items()))
    for name, threads in ((targets.RUMUR_1, 1), (targets.RUMUR_2, 2)):
        bench.add(name, size, threads, rounds, partial(rumur.prepare, threads, size, scratch))
    for name, workers in ((targets.TLC_1, 1), (targets.TLC_2, 2)):
        for each in (size, size.up_to_names):
            folder = scratch / f"tlc-{workers}-{each}".replace(" ", "-")
            prepare = partial(tlc.prepare, tools, modules, workers, tlc.kip320(each), folder)
            bench.add(name, each, workers, tlc_repeat, prepare)
    if MAIN in searches and tlc_repeat:
        bench.time(
            targets.TLC_WALKS,
            tlc_repeat,
            partial(
                tlc.prepare_walks, tools, modules, TLC_WALKS, tlc.kip320(MAIN), scratch / "walks"
            ),
        )


def add_consensus(
    bench: Bench,
    command: Sequence[str],
    tools: Path | None,
    modules: Sequence[Path],
    repeat: int,
    tlc_repeat: int,
) -> None:
    """The consensus protocols, with specmodel and TLC, with 2 workers each."""
    own = OwnEngine(command, "native", 2, bench.scratch / "filled-cache")
    for case in consensus.CASES:
        bench.add(targets.NATIVE_2, case, 2, repeat, partial(own.prepare_filled, case))
        folder = bench.scratch / f"tlc-{case.design}"
        prepare = partial(tlc.prepare, tools, modules, 2, case.model(), folder)
        bench.add(targets.TLC_2, case, 2, tlc_repeat, prepare)


def configuration(text: str) -> Configuration:
    """The value of --configuration, with its own words when it is wrong."""
    try:
        return Configuration.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def arguments() -> argparse.ArgumentParser:
    """The options of `python -m benchmarks`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--repeat",
        type=int,
        default=3,
        metavar="N",
        help="measure everything but TLC N times, taking turns (default 3)",
    )
    parser.add_argument(
        "--tlc-repeat",
        type=int,
        default=1,
        metavar="N",
        help="measure TLC N times, minutes each (default 1; 0 leaves it out)",
    )
    parser.add_argument("--tlc", type=Path, metavar="PATH", help="tla2tools.jar, or its classes")
    parser.add_argument(
        "--tla",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="folder with public TLA+ modules; several times for several folders",
    )
    parser.add_argument(
        "--configuration",
        type=configuration,
        metavar="R,L,N,E",
        help=f"search this size instead of {MAIN} and {LARGE}",
    )
    parser.add_argument(
        "--long", action="store_true", help=f"search {HUGE} too, once, with specmodel only"
    )
    parser.add_argument(
        "--only", choices=("own", "peers", "spark", "consensus"), help="measure these alone"
    )
    parser.add_argument(
        "--specmodel",
        type=shlex.split,
        default=[sys.executable, "-m", "specmodel"],
        metavar="COMMAND",
        help="how to start specmodel (default: this Python's -m specmodel)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample to FILE")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if something that is present could not be measured, else 0."""
    chosen = arguments().parse_args(words)
    searches = (
        {chosen.configuration: chosen.repeat}
        if chosen.configuration
        else {MAIN: chosen.repeat, LARGE: chosen.repeat}
    )
    surroundings = report.machine()
    with tempfile.TemporaryDirectory(prefix="specmodel-benchmarks-") as scratch:
        bench = Bench(Path(scratch))
        own = {**searches, HUGE: 1} if chosen.long else searches
        if chosen.only in (None, "own"):
            add_own(bench, chosen.specmodel, own, chosen.repeat)
        if chosen.only == "spark":
            add_native(bench, chosen.specmodel, own)
        if chosen.only in (None, "spark"):
            add_spark(bench, own)
        if chosen.only in (None, "peers"):
            add_peers(bench, chosen.tlc, chosen.tla, searches, chosen.tlc_repeat)
        if chosen.only in (None, "consensus"):
            add_consensus(
                bench, chosen.specmodel, chosen.tlc, chosen.tla, chosen.repeat, chosen.tlc_repeat
            )
        bench.measure()
    measurements = targets.Measurements(bench.contenders, bench.timings)
    comparisons = targets.compare(measurements)
    print(report.text(surroundings, bench.contenders, comparisons, bench.missing, bench.failures))
    if chosen.json:
        everything = report.json_object(
            surroundings,
            bench.contenders,
            bench.timings,
            comparisons,
            bench.missing,
            bench.failures,
        )
        chosen.json.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
