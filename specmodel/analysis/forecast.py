"""Estimates the size of a state space from the sizes of its levels so far.

Breadth-first levels grow, reach a largest one and shrink again. The logarithm of their sizes bends
down all along, much like a parabola. So the forecast fits a parabola to the last levels, over
windows of several lengths, and adds up the levels to come. The range is not a theory: it is the
range that the spaces of the shipped designs needed (docs/how-to/profile.md has the figures).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

from specmodel.dataclass import dataclass

WINDOWS = (4, 5, 6, 8)
"""The numbers of last levels to which a parabola is fitted."""

LEAST_LEVELS = 7
LEAST_STATES = 1000
"""With fewer states there is no forecast."""

MOST_AHEAD = 30.0
"""A forecast of more than this number of times the present states is dropped."""

SHORT, LONG = 0.4, 1.8
"""The range: the states to come, times these factors."""

MOST_LEVELS = 1000


@dataclass(frozen=True)
class Forecast:
    """The estimated number of states: the likely number, and a range that usually contains it."""

    low: int
    likely: int
    high: int


def forecast(sizes: Sequence[int], before: int = 0) -> Forecast | None:
    """The final number of states of a search whose levels had these sizes so far.

    `before` is the number of states in levels before those. None: it is too early for a forecast.
    """
    seen = before + sum(sizes)
    if len(sizes) < LEAST_LEVELS or seen < LEAST_STATES or min(sizes[-max(WINDOWS) :]) < 1:
        return None
    ahead = [left for w in WINDOWS if w <= len(sizes) for left in _ahead(sizes[-w:])]
    if not ahead or median(ahead) > MOST_AHEAD * seen:
        return None
    left = median(ahead)
    return Forecast(*(round(seen + left * factor) for factor in (SHORT, 1.0, LONG)))


def _ahead(sizes: Sequence[int]) -> Iterator[float]:
    """The sum of all levels to come, by the parabola fitted to some levels; None if it bends up."""
    places = [float(place) for place in range(1 - len(sizes), 1)]
    _, slope, curvature = _parabola(places, [math.log(size) for size in sizes])
    if curvature > -1e-4:
        return
    total, last = 0.0, math.log(sizes[-1])
    for step in range(1, MOST_LEVELS):
        size = last + slope * step + curvature * step * step
        if size < 0 or size > 700:
            break
        total += math.exp(size)
    yield total


def _parabola(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float, float]:
    """The coefficients of 1, x and x**2 of the parabola nearest to points, by least squares."""
    powers = [sum(x**k for x in xs) for k in range(5)]
    rows = [
        [*powers[k : k + 3], sum(y * x**k for x, y in zip(xs, ys, strict=True))] for k in range(3)
    ]
    for pivot in range(3):
        for other in range(3):
            if other != pivot:
                factor = rows[other][pivot] / rows[pivot][pivot]
                pairs = zip(rows[other], rows[pivot], strict=True)
                rows[other] = [a - factor * b for a, b in pairs]
    constant, slope, curvature = (rows[k][3] / rows[k][k] for k in range(3))
    return constant, slope, curvature
