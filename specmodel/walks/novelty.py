"""What walks had shown of the state space after so many of them, one after the other.

The sample of states remembers the least walks to each, so it says this afterwards, of any number of
walks, whatever the order in which they were made.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

from specmodel.results.simulation import Touched
from specmodel.walks.estimate import estimated
from specmodel.walks.plan import WalkPlan
from specmodel.walks.totals import MARKED, Sample


@dataclass(frozen=True)
class Known:
    """What was known after so many walks, which made so many steps; `new` since the one before."""

    walks: int
    steps: int
    touched: Touched
    new: int


def novelty(
    sample: Sample, plan: WalkPlan, after: Iterable[tuple[int, int]], made: tuple[int, int]
) -> Iterator[Known]:
    """What was known after each of some numbers of walks and their steps, given in order.

    Last of all what was known in the end, after as many walks and steps as were made: those of
    walks that have not ended are among them.
    """
    columns: list[list[int]] = [[] for _ in range(MARKED)]
    for walks in sample.walks.values():
        for place, walk in enumerate(walks):
            columns[place].append(walk)
    for column in columns:
        column.sort()
    before, ends = 0, [*((walks, walks, steps) for walks, steps in after), (inf, *made)]
    for end, walks, steps in ends:
        # So many sampled states were visited by one of these walks at least, by two, by three.
        seen, two, three = (bisect_left(column, end) for column in columns)
        touched = estimated(seen, seen - two, two - three, sample.share, walks, plan)
        yield Known(walks, steps, touched, touched.states - before)
        before = touched.states
