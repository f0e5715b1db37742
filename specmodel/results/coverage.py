"""Which parts of a spec's code a search has run, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from specmodel.dataclass import dataclass
from specmodel.errors import Span

Kind = Literal["start", "then", "else", "body", "after", "guard", "operand", "each"]


@dataclass(frozen=True)
class Point:
    """A point in the code of a rule (an action or property), including the helpers that it calls.

    `kind`: a function starts (`start`); a branch is taken (`then`, `else`); the `body` of a loop
    runs; the code `after` a guard or a possible end runs; a conjunct of a `guard` is evaluated; or,
    in properties, an `operand` of `and` or `or` that is not the first, or the condition of a
    quantifier or comprehension for `each` value.

    `text` is the deciding expression: the test of a branch, the guard, the operands before, the
    condition of a generator. `operator` is `and`, `or` or `implies` (`not a or b`; the text is `a`)
    for an operand, `if` or `in` for a generator with and without a condition, `if` or `for` for the
    statement that may end there before the code `after`. `span` is the place, `lines` are those of
    the statements that run with it. `function` contains it, and `definition` is the function's
    place; `parent` is the number of a point without which it is not reached, -1 if there is none.
    `fixed`: constants alone decide whether it is reached. `trivial`: the code there is no claim,
    such as an `else` that is not written or a lone `return True`. `final`: a guard that returns a
    value, without which the action cannot continue.
    """

    number: int
    rule: str
    role: str
    kind: Kind
    span: Span
    lines: tuple[int, ...]
    text: str
    function: str
    parent: int
    operator: str = ""
    fixed: bool = False
    trivial: bool = False
    final: bool = False
    definition: Span | None = None

    @property
    def antecedent(self) -> bool:
        """Whether a property says less than it seems to if this point is never reached."""
        hangs = self.kind in ("then", "else", "after", "operand", "each")
        return hangs and self.role != "action" and not self.fixed and not self.trivial


@dataclass
class Counts:
    """Counts by the number of a point; see `PointCount`."""

    reached: list[int]
    false: dict[int, int]
    alone: dict[int, int]


@dataclass(frozen=True)
class PointCount:
    """A point of the spec's code, and the number of its rule's `cases` in which it was `reached`.

    A case of an action is an expanded state with one of the action's bindings; of an invariant or
    reachable property a state; of a transition property a step. Of a guard, `false` is the number
    of cases in which it disabled the action, `alone` the number of those in which nothing else did:
    without it, the action would have happened there, or the spec would have failed. `alone` is None
    for the value of a `require_some`, without which the action cannot continue; both are None for
    points other than guards.
    """

    point: Point
    cases: int
    reached: int
    false: int | None = None
    alone: int | None = None


@dataclass(frozen=True)
class Cases:
    """The states and steps of a search: states expanded, states seen, and steps.

    `bindings` are those of each action.
    """

    expanded: int
    seen: int
    steps: int
    bindings: Mapping[str, int]

    def of(self, point: Point) -> int:
        """The cases of a point's rule."""
        if point.role == "action":
            return self.expanded * self.bindings.get(point.rule, 0)
        return self.steps if point.role == "transition" else self.seen


def point_counts(points: Iterable[Point], counts: Counts, cases: Cases) -> tuple[PointCount, ...]:
    """The points of a search with their counts."""
    return tuple(
        PointCount(
            point,
            cases.of(point),
            counts.reached[point.number],
            counts.false.get(point.number),
            counts.alone.get(point.number),
        )
        for point in points
    )


def unmet(points: Iterable[PointCount]) -> tuple[PointCount, ...]:
    """The antecedents of properties that were never true, only the outermost ones.

    One in a helper counts as true if it is true for any of the properties that call it, and is
    listed once.
    """
    known = {count.point.number: count for count in points}
    never: dict[tuple[str, str, Span], PointCount] = {}
    met: set[tuple[str, str, Span]] = set()
    for count in known.values():
        point = count.point
        place = (point.function, f"{point.kind} {point.text}", point.span)
        if count.reached:
            met.add(place)
        elif point.antecedent and (point.parent < 0 or known[point.parent].reached):
            never.setdefault(place, count)
    return tuple(count for place, count in never.items() if place not in met)
