"""Counts coverage points natively: the code, compiled or from the cache, and its use."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence

from specmodel.ir.points import Points
from specmodel.kernel.counters import counters_of
from specmodel.kernel.program import Program
from specmodel.machine import objects
from specmodel.machine.language import Structure, address, i64
from specmodel.machine.words import LANES
from specmodel.results.coverage import Counts

_i64 = ctypes.c_int64
_COUNT = {"takes": "piipp", "gives": ""}


class TotalsWords(Structure):
    """The part of `Totals` that machine code uses."""

    of_steps: i64
    """The address of a counting function, or 0; likewise the next field."""
    of_states: i64
    counts: i64
    """The counters and the scratch of both functions."""
    scratch: i64
    expanded_states: i64
    """The number of states counted so far by the first function, and by the second."""
    seen_states: i64


class Counter:
    """Code that counts some points; `totals` for one thread. Calls release the GIL."""

    def __init__(self, points: Points, code: objects.LoadedCode, steps: bool = False) -> None:
        """`steps`: the code also counts steps, and not only the state properties."""
        self.points = points
        self.counters = counters_of(points)
        self.states_address = code.address("count_states")
        self.count_states = code.function("count_states", **_COUNT)
        self.steps_address = code.address("count_steps") if steps else 0
        self.scratch_words = code.scratch("states", *(["steps"] if steps else []))

    def totals(self) -> Totals:
        """Counters of one thread, all 0."""
        return Totals(self)

    def counts(self, totals: Sequence[Totals]) -> Counts:
        """The counts of several threads together."""
        read = [sum(counts) for counts in zip(*(t.read() for t in totals), strict=True)]
        found = self.points.counts()
        found.reached = read[: self.counters.points]
        found.false = {point: read[self.counters.false(point)] for point in found.false}
        found.alone = {point: read[self.counters.alone(point)] for point in found.alone}
        return found


class Totals:
    """The counters of one thread.

    Machine code may count as well, with the words at `address`; `at` are the addresses of the
    counters and the scratch.
    """

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self._counts = (_i64 * (counter.counters.size * LANES))()
        self._scratch = (_i64 * counter.scratch_words)()
        self.at = ctypes.addressof(self._counts), ctypes.addressof(self._scratch)
        self._words = w = TotalsWords.new()
        w.of_steps, w.of_states = counter.steps_address, counter.states_address
        w.counts, w.scratch = self.at
        self.address = address(w)

    @property
    def expanded(self) -> int:
        """The number of states expanded so far."""
        return self._words.expanded_states

    @property
    def seen(self) -> int:
        """The number of states whose properties were checked so far."""
        return self._words.seen_states

    def states(self, address: int, stride: int, count: int) -> None:
        """Counts states whose properties are checked, a batch in columns."""
        self._words.seen_states += count
        self.counter.count_states(address, stride, count, *self.at)

    def take(self, counts: Sequence[int], states: int) -> None:
        """Adds the counts that `read` gave in another process, for `states` checked states."""
        self._words.seen_states += states
        for counter, count in enumerate(counts):
            self._counts[counter * LANES] += count

    def reached(self, point: int) -> bool:
        """Whether a point has been reached."""
        return any(self._counts[point * LANES : (point + 1) * LANES])

    def read(self) -> list[int]:
        """All counters, in the order of `Counters`; the first are those of points."""
        return [sum(self._counts[i : i + LANES]) for i in range(0, len(self._counts), LANES)]


def load_counter(program: Program, points: Points, target: objects.Target | None = None) -> Counter:
    """A counter of all points, compiled unless it is in the cache."""

    def texts() -> Iterator[str]:
        from specmodel.kernel.counting import Counting  # takes a while, and the cache may have it

        yield Counting(program, points).text()

    return Counter(points, program.compiled(f"points {points.shape}", texts, target), steps=True)
