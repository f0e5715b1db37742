"""The coverage points of a search, by their places in the source."""

from __future__ import annotations

from collections.abc import Iterable

from specmodel.dataclass import dataclass
from specmodel.results import PointCount
from specmodel.results.coverage import Point


@dataclass(frozen=True)
class CountedPlace:
    """A place in the code, with the sums of the counts of all rules that reach it.

    `point` is that of the first rule. Counts are sums over the `rules`; of a guard, `false` and
    `alone` are as for `PointCount`. `hidden`: a point around it was never reached either.
    """

    point: Point
    rules: tuple[str, ...]
    reached: int
    false: int | None
    alone: int | None
    hidden: bool

    @property
    def missed(self) -> bool:
        """Whether the place was never reached, though constants alone do not rule it out."""
        return not self.reached and not self.point.fixed


def places(points: Iterable[PointCount]) -> tuple[CountedPlace, ...]:
    """All places, in the order in which rules reach them."""
    known = {count.point.number: count for count in points}
    groups: dict[tuple[object, ...], list[PointCount]] = {}
    for count in known.values():
        point = count.point
        key = (point.function, point.kind, point.text, point.span)
        groups.setdefault(key, []).append(count)
    return tuple(_place(counts, known) for counts in groups.values())


def _place(counts: list[PointCount], known: dict[int, PointCount]) -> CountedPlace:
    first = counts[0]
    around = [known[c.point.parent] for c in counts if c.point.parent >= 0]
    return CountedPlace(
        first.point,
        tuple(dict.fromkeys(c.point.rule for c in counts)),
        sum(c.reached for c in counts),
        None if first.false is None else sum(c.false or 0 for c in counts),
        None if first.alone is None else sum(c.alone or 0 for c in counts),
        hidden=len(around) == len(counts) and not any(c.reached for c in around),
    )


def missed(found: Iterable[CountedPlace]) -> tuple[CountedPlace, ...]:
    """The places that were never reached; of nested ones, only the outermost.

    An `else` that is not written is left out if the code after the `if` shows the same.
    """
    lacking = [p for p in found if p.missed and not p.hidden]
    after = {(p.point.function, p.point.text) for p in lacking if p.point.kind == "after"}
    return tuple(
        p for p in lacking if not (p.point.trivial and (p.point.function, p.point.text) in after)
    )
