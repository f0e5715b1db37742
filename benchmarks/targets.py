"""The speeds and sizes that specmodel aims at, judged against what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks import consensus
from benchmarks.configuration import HUGE, KNOWN_SPACES, LARGE, MAIN, SMALLEST, Case
from benchmarks.peers import spin
from benchmarks.sample import Contender, Timing

NATIVE_1 = "specmodel, 1 worker"
NATIVE_2 = "specmodel, 2 workers"
FILLED_CACHE = "specmodel, filled cache"
EMPTY_CACHE = "specmodel, empty cache"
INTERPRETER = "specmodel, interpreter"
COMPRESSED = "specmodel, compressed"
SPILLED = "specmodel, 100 MB and a disk"
SPARK_1 = "specmodel on Spark, 1 slot"
SPARK_2 = "specmodel on Spark, 2 slots"
TLC_1 = "tlc, 1 worker"
TLC_2 = "tlc, 2 workers"
RUMUR_1 = "rumur, 1 thread"
RUMUR_2 = "rumur, 2 threads"
HELP = "specmodel --help"
KERNEL_MADE = "kernel made, LLVM loaded before"
KERNEL_LOADED = "kernel loaded from the cache, a second time in a process"
COMPONENTS = "components of kip320's graph, a million edges"
WALKS = "specmodel, a million steps of walks"
TLC_WALKS = "tlc, a million steps of walks"


@dataclass(frozen=True)
class Comparison:
    """One line of the table of ratios. `measured` is None where something was not measured."""

    what: str
    measured: float | None
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def target(self) -> str:
        """The aim as text, empty when the line only informs."""
        if self.at_least is not None:
            return f">= {self.at_least:g} {self.unit}"
        if self.at_most is not None:
            return f"<= {self.at_most:g} {self.unit}"
        return ""

    @property
    def verdict(self) -> str:
        """`met`, `missed`, `not measured`, or empty when there is no aim."""
        if self.measured is None:
            return "not measured"
        if self.at_least is not None:
            return "met" if self.measured >= self.at_least else "missed"
        if self.at_most is not None:
            return "met" if self.measured <= self.at_most else "missed"
        return ""


class Measurements:
    """Finds what was measured by name; a ratio with a missing side is None."""

    def __init__(self, contenders: Iterable[Contender], timings: Iterable[Timing]) -> None:
        self._contenders = {(c.name, c.configuration): c for c in contenders if c.samples}
        self._timings = {timing.name: timing for timing in timings if timing.values}

    def value(
        self, name: str, configuration: Case, of: Callable[[Contender], float | None]
    ) -> float | None:
        """A figure of one contender, or None."""
        found = self._contenders.get((name, configuration))
        return None if found is None else of(found)

    def ratio(self, slow: Sequence[str], fast: str, configuration: Case) -> float | None:
        """How many times faster `fast` searches than the fastest of `slow`, by medians."""
        times = [self.value(name, configuration, lambda c: c.search.median) for name in slow]
        present = [time for time in times if time is not None]
        own = self.value(fast, configuration, lambda c: c.search.median)
        return min(present) / own if present and own else None

    def timing(self, name: str) -> float | None:
        """The median of a timed command, or None."""
        found = self._timings.get(name)
        return None if found is None else median(found.values)


def compare(measurements: Measurements) -> list[Comparison]:
    """Every ratio and figure that matters, with its aim where there is one."""
    m = measurements
    spin_builds = tuple(spin.BUILDS)
    return [
        Comparison(f"TLC / ours, 2 workers, {MAIN}", m.ratio([TLC_2], NATIVE_2, MAIN), "x", 500),
        Comparison(
            f"TLC, 2 workers / ours, 1 worker, {MAIN}", m.ratio([TLC_2], NATIVE_1, MAIN), "x", 500
        ),
        Comparison(f"TLC / ours, 1 worker, {MAIN}", m.ratio([TLC_1], NATIVE_1, MAIN), "x"),
        Comparison(
            f"TLC / ours, 1 worker, {MAIN.up_to_names}",
            m.ratio([TLC_1], NATIVE_1, MAIN.up_to_names),
            "x",
            300,
        ),
        Comparison(
            f"TLC / ours, 2 workers, {MAIN.up_to_names}",
            m.ratio([TLC_2], NATIVE_2, MAIN.up_to_names),
            "x",
            300,
        ),
        Comparison(f"all states / up to names, 1 worker, {MAIN}", _saved(m, NATIVE_1), "x", 2),
        Comparison(
            f"best SPIN / ours, 1 core, {MAIN}", m.ratio(spin_builds, NATIVE_1, MAIN), "x", 4
        ),
        Comparison(
            f"best SPIN / ours, 1 core, {LARGE}", m.ratio(spin_builds, NATIVE_1, LARGE), "x", 4
        ),
        Comparison(f"rumur / ours, 1 core, {MAIN}", m.ratio([RUMUR_1], NATIVE_1, MAIN), "x"),
        Comparison(f"rumur / ours, 2 cores, {MAIN}", m.ratio([RUMUR_2], NATIVE_2, MAIN), "x"),
        Comparison(
            f"interpreter / native, {SMALLEST}", m.ratio([INTERPRETER], NATIVE_1, SMALLEST), "x"
        ),
        Comparison(f"distinct, 1 worker, {MAIN}", _millions(m, NATIVE_1, MAIN), "M/s", 4),
        Comparison(f"2 workers / 1, {MAIN}", m.ratio([NATIVE_1], NATIVE_2, MAIN), "x", 1.6),
        Comparison(f"2 workers / 1, {LARGE}", m.ratio([NATIVE_1], NATIVE_2, LARGE), "x", 1.6),
        Comparison(f"distinct, 2 workers, {HUGE}", _millions(m, NATIVE_2, HUGE), "M/s", 3),
        Comparison(
            f"memory, 1 worker, {LARGE}",
            m.value(NATIVE_1, LARGE, lambda c: c.bytes_per_state),
            "B/state",
            at_most=45,
        ),
        *(
            Comparison(
                f"held for states, {name}, {LARGE}",
                m.value(name, LARGE, lambda c: c.held_per_state),
                "B/state",
                at_most=at_most,
            )
            for name, at_most in ((NATIVE_1, None), (COMPRESSED, 24), (SPILLED, None))
        ),
        Comparison(f"compressed / tables, {LARGE}", m.ratio([COMPRESSED], NATIVE_1, LARGE), "x"),
        Comparison(f"spilled / tables, {LARGE}", m.ratio([SPILLED], NATIVE_1, LARGE), "x"),
        Comparison(
            "check kip320, whole process, filled cache",
            m.value(FILLED_CACHE, MAIN, lambda c: c.wall.median),
            "s",
            at_most=1.5,
        ),
        Comparison(
            "check kip320, whole process, empty cache",
            m.value(EMPTY_CACHE, MAIN, lambda c: c.wall.median),
            "s",
            at_most=3,
        ),
        *(
            Comparison(f"TLC / ours, 2 workers, {case}", m.ratio([TLC_2], NATIVE_2, case), "x", 200)
            for case in consensus.CASES
        ),
        *_on_spark(m),
        Comparison(COMPONENTS, m.timing(COMPONENTS), "s"),
        *_walks(m),
        Comparison(HELP, m.timing(HELP), "s", at_most=0.3),
        Comparison(KERNEL_MADE, m.timing(KERNEL_MADE), "s", at_most=0.3),
        Comparison(KERNEL_LOADED, m.timing(KERNEL_LOADED), "s", at_most=0.01),
        Comparison(
            "kernel made in a fresh process, with LLVM",
            m.value(EMPTY_CACHE, MAIN, lambda c: c.compile_median),
            "s",
        ),
        Comparison(
            "kernel loaded in a fresh process",
            m.value(FILLED_CACHE, MAIN, lambda c: c.compile_median),
            "s",
        ),
    ]


def _saved(m: Measurements, name: str) -> float | None:
    """How many times faster a symmetric search is than one of all states."""
    every, orbits = (m.value(name, c, lambda c: c.search.median) for c in (MAIN, MAIN.up_to_names))
    return every / orbits if every and orbits else None


def _on_spark(m: Measurements) -> Iterator[Comparison]:
    """What it costs and brings to search on Spark, once that has started."""
    for size in (MAIN, LARGE, HUGE):
        aim = {LARGE: 0.2, HUGE: 0.8}.get(size)
        rates = [m.value(name, size, lambda c: c.rate) for name in (SPARK_2, NATIVE_1)]
        yield Comparison(f"Spark, 2 slots / native, 1 worker, {size}", _over(*rates), "x", aim)
    tlc = m.value(TLC_2, MAIN, lambda c: c.rate)
    own = m.value(SPARK_2, LARGE, lambda c: c.rate)
    what = f"Spark, 2 slots, {LARGE} / TLC, 2 workers, {MAIN}, by rate"
    yield Comparison(what, _over(own, tlc), "x", 30)
    for size in (LARGE, HUGE):
        yield Comparison(f"2 slots / 1, {size}", m.ratio([SPARK_1], SPARK_2, size), "x", 1.6)
    small = m.value(SPARK_2, SMALLEST, lambda c: c.search.median)
    levels = KNOWN_SPACES[SMALLEST].depth
    cost = small / levels if small else None
    yield Comparison(f"a level on Spark, {SMALLEST}", cost, "s", at_most=0.015)


def _over(above: float | None, below: float | None) -> float | None:
    return above / below if above and below else None


def _walks(m: Measurements) -> Iterator[Comparison]:
    """How fast random walks are, on one core."""
    own, tlc = m.timing(WALKS), m.timing(TLC_WALKS)
    yield Comparison(f"walks, 1 worker, {MAIN}", 1 / own if own else None, "M steps/s")
    ratio = tlc / own if tlc and own else None
    yield Comparison(f"TLC -simulate / ours, a step, 1 core, {MAIN}", ratio, "x", 300)


def _millions(m: Measurements, name: str, configuration: Case) -> float | None:
    rate = m.value(name, configuration, lambda c: c.rate)
    return None if rate is None else rate / 1e6
