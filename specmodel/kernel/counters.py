"""The counters of the points of a spec's code: how many there are, and which is which."""

from __future__ import annotations

from collections.abc import Mapping

from specmodel.dataclass import dataclass
from specmodel.ir.points import Points


@dataclass(frozen=True)
class Counters:
    """Which counter is which: for each point how often it is reached, then two for each guard."""

    points: int
    guards: Mapping[int, int]

    @property
    def size(self) -> int:
        return self.points + 2 * len(self.guards)

    def false(self, point: int) -> int:
        """How often a guard is false."""
        return self.points + 2 * self.guards[point]

    def alone(self, point: int) -> int:
        """How often a guard is all that keeps the action from happening."""
        return self.false(point) + 1


def counters_of(points: Points) -> Counters:
    """The counters that points have."""
    guards = (p.number for p in points.found if p.kind == "guard")
    return Counters(len(points.found), {point: place for place, point in enumerate(guards)})
