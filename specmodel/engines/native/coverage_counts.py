"""Counts coverage points during a search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from specmodel.ir.points import Points
from specmodel.kernel.counter import load_counter
from specmodel.kernel.kernel import Kernel
from specmodel.model.model import Rule
from specmodel.results import PointCount
from specmodel.results.coverage import Cases, point_counts

if TYPE_CHECKING:
    from specmodel.engines.native.profile_counts import ProfileCounts


class KernelCoverage:
    """Counts all points, if asked to; else those of state properties, until every antecedent was
    true.

    The second case usually takes a few states only: then the search continues without counting.
    """

    def __init__(
        self,
        kernel: Kernel,
        rules: Sequence[Rule],
        everything: bool,
        threads: int,
        projections: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Compiles the counting functions. Raises SpecError for a part that cannot be compiled.

        With `projections`, their values are counted for a profile as well.
        """
        layout = kernel.program.layout
        self.thread_profiles: list[ProfileCounts] = []
        if projections:
            from specmodel.engines.native.profile_counts import (
                ProfileCounts,  # needed only for profiles
            )

            self.thread_profiles = [ProfileCounts(layout, projections) for _ in range(threads)]
        self.everything = everything
        self.counter = kernel.counter
        if everything:
            model = kernel.program.model
            points = Points(model, model.actions, [rule.name for rule in rules], graphed=True)
            self.counter = load_counter(kernel.program, points)
        self.totals = [self.counter.totals() for _ in range(threads)]
        self.open = [p.number for p in self.counter.points.found if p.antecedent]

    @property
    def going(self) -> bool:
        """Whether there is something left to count."""
        return self.everything or bool(self.open)

    def take(self, counted: Iterable[Sequence[int]], states: int) -> None:
        """Adds the counts of another process over a number of states."""
        (total,) = self.totals
        total.take([sum(counts) for counts in zip(*filter(None, counted), strict=True)], states)
        self.look()

    def look(self) -> None:
        """Updates which antecedents have been true."""
        if not self.everything:
            self.open = [p for p in self.open if not any(t.reached(p) for t in self.totals)]

    def points(self, steps: int, bindings: Mapping[str, int]) -> tuple[PointCount, ...]:
        """The points with their counts, after a search with these numbers of steps."""
        expanded, seen = sum(t.expanded for t in self.totals), sum(t.seen for t in self.totals)
        bindings = {**bindings, **self.counter.points.case_counts}
        cases = Cases(expanded, seen, steps, bindings)
        counts = self.counter.counts(self.totals)
        return point_counts(self.counter.points.found, counts, cases)
