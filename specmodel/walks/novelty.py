"""How many distinct states the first n walks visited, for several n, estimated from a sample.

The sample of states remembers the least walks to each state. So it gives these figures afterwards,
for any number of walks, whatever the order in which they were made.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from math import inf

from specmodel.dataclass import dataclass
from specmodel.results.simulation import Touched
from specmodel.walks.estimate import estimated
from specmodel.walks.plan import WalkPlan
from specmodel.walks.totals import MARKED, Sample


@dataclass(frozen=True)
class Known:
    """The figures after a number of walks, with their steps; `new` states since the row before."""

    walks: int
    steps: int
    touched: Touched
    new: int


def novelty(
    sample: Sample, plan: WalkPlan, after: Iterable[tuple[int, int]], made: tuple[int, int]
) -> Iterator[Known]:
    """The figures after each of some numbers of walks and their steps, given in order.

    The last row is for all walks and steps, including those of walks that have not ended.
    """
    columns: list[list[int]] = [[] for _ in range(MARKED)]
    for walks in sample.walks.values():
        for place, walk in enumerate(walks):
            columns[place].append(walk)
    for column in columns:
        column.sort()
    before, ends = 0, [*((walks, walks, steps) for walks, steps in after), (inf, *made)]
    for end, walks, steps in ends:
        # The sampled states visited by at least one, two, three of these walks.
        seen, two, three = (bisect_left(column, end) for column in columns)
        touched = estimated(seen, seen - two, two - three, sample.share, walks, plan)
        yield Known(walks, steps, touched, touched.states - before)
        before = touched.states
