"""Which antecedents of the properties have been true so far, as tasks count them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from specmodel.kernel.counter import Counter
from specmodel.results import PointCount
from specmodel.results.coverage import Cases, point_counts, unmet


class Antecedents:
    """Counts until each antecedent of a state property has been true: as a rule, a few states."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._sums = [0] * counter.counters.size
        self._seen = 0
        self._open = [p.number for p in counter.points.found if p.antecedent]

    @property
    def going(self) -> bool:
        """Whether there is something left to count."""
        return bool(self._open)

    def take(self, counted: Iterable[list[int]], states: int) -> None:
        """Takes in what tasks have counted over so many states."""
        for counts in counted:
            if counts:
                self._sums = [a + b for a, b in zip(self._sums, counts, strict=True)]
        self._seen += states
        self._open = [number for number in self._open if not self._sums[number]]

    def read(self) -> list[int]:
        """The sums of all counters."""
        return self._sums

    def unmet(self, steps: int, bindings: Mapping[str, int]) -> tuple[PointCount, ...]:
        """The antecedents that were true nowhere, at the end of a search with so many steps."""
        if not self.going:
            return ()
        counts = self._counter.counts([self])
        cases = Cases(0, self._seen, steps, bindings)
        return unmet(point_counts(self._counter.points.found, counts, cases))
