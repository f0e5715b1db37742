"""What one run gave, and the spread of several."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from benchmarks.configuration import Case
from benchmarks.process import MeasurementError

SHORT = 1.0
"""Seconds of a whole process that are short: any moment's noise is a good part of them."""


@dataclass(frozen=True)
class Sample:
    """One complete search. Times in seconds, memory in bytes; `depth` counts states.

    `search_seconds` leaves out the start of the program, reading the model and compiling it. `held`
    is the most memory counted for states alone, None for a program that does not say.
    """

    distinct: int
    generated: int
    depth: int | None
    search_seconds: float
    wall_seconds: float
    peak_rss: int
    compile_seconds: float | None = None
    held: int | None = None


@dataclass(frozen=True)
class Spread:
    """Least, middle and greatest of repeated measurements, in seconds."""

    least: float
    median: float
    greatest: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of at least one value."""
        ordered = sorted(values)
        return cls(ordered[0], statistics.median(ordered), ordered[-1])


@dataclass
class Contender:
    """One program in one setting on one configuration, with the samples taken so far.

    `workers` is None where the program chooses. `rounds` is how often to measure.
    """

    name: str
    configuration: Case
    workers: int | None
    measure: Callable[[], Sample]
    rounds: int
    samples: list[Sample] = field(default_factory=list[Sample])

    @property
    def short(self) -> bool:
        """Whether it took little time as a whole process, the last time."""
        return self.samples[-1].wall_seconds <= SHORT

    @property
    def states(self) -> int:
        """How many there are to be found, 0 if that is not known."""
        known = self.configuration.known
        return known.distinct if known else 0

    def take(self) -> None:
        """Measure once more. Raises MeasurementError when the state space is not the known one."""
        sample = self.measure()
        known = self.configuration.known
        if known is not None and sample.distinct != known.distinct:
            raise MeasurementError(
                f"found {sample.distinct:,} distinct states, not {known.distinct:,}"
            )
        if known is not None and sample.depth not in (None, known.depth):
            raise MeasurementError(f"found depth {sample.depth}, not {known.depth}")
        self.samples.append(sample)

    @property
    def label(self) -> str:
        """The name with the configuration."""
        return f"{self.name}, {self.configuration}"

    @property
    def search(self) -> Spread:
        """Spread of the search time."""
        return Spread.of(sample.search_seconds for sample in self.samples)

    @property
    def rate(self) -> float:
        """Distinct states a second, at the median search time."""
        return self.samples[0].distinct / self.search.median

    @property
    def wall(self) -> Spread:
        """Spread of the wall time of the whole process."""
        return Spread.of(sample.wall_seconds for sample in self.samples)

    @property
    def compile_median(self) -> float | None:
        """Median time to make or load the kernel; None for a program that does not say."""
        times = [s.compile_seconds for s in self.samples if s.compile_seconds is not None]
        return statistics.median(times) if times else None

    @property
    def held_per_state(self) -> float | None:
        """Most bytes held for states over the distinct states, if the program says so."""
        held = [sample.held for sample in self.samples if sample.held is not None]
        return max(held) / self.samples[0].distinct if held else None

    @property
    def bytes_per_state(self) -> float:
        """Greatest peak of resident memory of the whole process over the distinct states."""
        return max(sample.peak_rss for sample in self.samples) / self.samples[0].distinct


@dataclass
class Timing:
    """A command that is only timed, with the seconds measured so far."""

    name: str
    measure: Callable[[], float]
    rounds: int
    values: list[float] = field(default_factory=list[float])

    @property
    def short(self) -> bool:
        """A command is timed once a round."""
        return False

    @property
    def states(self) -> int:
        """None of which its memory would be."""
        return 0

    @property
    def label(self) -> str:
        """The name: a command is timed in one way only."""
        return self.name

    def take(self) -> None:
        """Time the command once more."""
        self.values.append(self.measure())
