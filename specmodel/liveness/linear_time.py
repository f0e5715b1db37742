"""Temporal formulas of any form, and automata of the behaviours that satisfy them.

A formula is made of predicates of a state or a step by /\\, \\/, [] and <>; only predicates are
negated. An automaton reads a behaviour state by state: an edge says which predicates are true or
false of the present state and its step, and what the rest of the behaviour has to satisfy. An edge
may put off a `<>` that it has to satisfy; a behaviour is accepted if it puts off none for ever.

As in TLA+, a step that changes nothing must make no difference to a formula: a predicate of a step
stands right within `<>` if such a step makes it false, and within `[]` if it makes it true.

Source: Rob Gerth, Doron Peled, Moshe Y. Vardi and Pierre Wolper, Simple on-the-fly automatic
verification of linear temporal logic (PSTV 1995), with acceptance by edges as in Jean-Michel
Couvreur, On-the-fly verification of linear temporal logic (FM 1999).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from specmodel.dataclass import dataclass
from specmodel.errors import SpecmodelError

MOST_WAYS = 20_000
"""The most edges of an automaton, with those that turn out not to be needed.

Their number grows exponentially with the formula.
"""


class TooManyWays(SpecmodelError):  # noqa: N818 - a limit met, not a mistake made
    """A formula can be satisfied in more than MOST_WAYS ways."""


@dataclass(frozen=True)
class Atomic:
    """A predicate of a state or a step, or its negation."""

    predicate: Hashable
    held: bool


@dataclass(frozen=True)
class AllOf:
    """A conjunction; without parts, TRUE."""

    parts: tuple[LinearFormula, ...]


@dataclass(frozen=True)
class AnyOf:
    """A disjunction; without parts, FALSE."""

    parts: tuple[LinearFormula, ...]


@dataclass(frozen=True)
class Always:
    """`[]` of a formula."""

    part: LinearFormula


@dataclass(frozen=True)
class Eventually:
    """`<>` of a formula."""

    part: LinearFormula


LinearFormula = Atomic | AllOf | AnyOf | Always | Eventually

Rest = frozenset[LinearFormula]
"""What the rest of a behaviour has to satisfy: all of these."""


def negated(formula: LinearFormula) -> LinearFormula:
    """The negation of a formula."""
    match formula:
        case Atomic(predicate, held):
            return Atomic(predicate, not held)
        case AllOf(parts):
            return AnyOf(tuple(map(negated, parts)))
        case AnyOf(parts):
            return AllOf(tuple(map(negated, parts)))
        case Always(part):
            return Eventually(negated(part))
        case Eventually(part):
            return Always(negated(part))


def predicates(formula: LinearFormula) -> list[Hashable]:
    """The predicates of a formula, each once, in its order."""
    return list(dict.fromkeys(_predicates(formula)))


def _predicates(formula: LinearFormula) -> Iterator[Hashable]:
    match formula:
        case Atomic(predicate):
            yield predicate
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from _predicates(part)
        case Always(part) | Eventually(part):
            yield from _predicates(part)


def satisfied(
    formula: LinearFormula, truth: Mapping[Hashable, Sequence[bool]], size: int, loop: int
) -> list[bool]:
    """Whether a behaviour satisfies a formula, from each of its `size` states on.

    `truth` has an item for each state; the state after the last is that at `loop`.
    """
    match formula:
        case Atomic(predicate, held):
            return [one == held for one in truth[predicate]]
        case AllOf(parts) | AnyOf(parts):
            columns = [satisfied(part, truth, size, loop) for part in parts]
            join = all if isinstance(formula, AllOf) else any
            return [join(column[place] for column in columns) for place in range(size)]
        case Always(part) | Eventually(part):
            found = satisfied(part, truth, size, loop)
            join = all if isinstance(formula, Always) else any
            return [join(found[min(place, loop) :]) for place in range(size)]


class AutomatonEdge(NamedTuple):
    """An edge of an automaton: predicates with their truth, the node it leads to, and the numbers
    of the `<>` that it puts off."""

    truth: frozenset[Atomic]
    target: int
    deferred: frozenset[int]


class Automaton:
    """The automaton of a formula: `edges` of each node, of which 0 is the first.

    `promises` is the number of `<>` that no accepted behaviour puts off for ever. Raises
    TooManyWays.
    """

    def __init__(self, formula: LinearFormula) -> None:
        self.nodes: dict[Rest, int] = {frozenset([formula]): 0}
        self.numbers: dict[Eventually, int] = {}
        self.edges: list[list[AutomatonEdge]] = []
        left = MOST_WAYS
        waiting = deque(self.nodes)
        while waiting:
            ways = list(islice(_ways(waiting.popleft()), left + 1))
            left -= len(ways)
            if left < 0:
                raise TooManyWays(f"its automaton has more than {MOST_WAYS:,} edges")
            known = len(self.nodes)
            self.edges.append(_needed([self._edge(each) for each in ways]))
            waiting.extend(islice(self.nodes, known, None))
        self.promises = len(self.numbers)

    def _edge(self, way: _Unfolded) -> AutomatonEdge:
        rest = _without_implied(way.following)
        target = self.nodes.setdefault(rest, len(self.nodes))
        deferred = [self.numbers.setdefault(each, len(self.numbers)) for each in way.deferred]
        return AutomatonEdge(way.truth, target, frozenset(deferred))


class _Unfolded(NamedTuple):
    """One way to satisfy formulas: by the present state and step, and by what follows."""

    waiting: tuple[LinearFormula, ...] = ()
    done: Rest = frozenset()
    truth: frozenset[Atomic] = frozenset()
    following: Rest = frozenset()
    deferred: frozenset[Eventually] = frozenset()


def _ways(rest: Rest) -> Iterator[_Unfolded]:
    """The ways to satisfy some formulas; none is contradictory in itself."""
    open_ways = [_Unfolded(tuple(rest))]
    while open_ways:
        way = open_ways.pop()
        if not way.waiting:
            yield way
            continue
        *waiting, formula = way.waiting
        way = way._replace(waiting=tuple(waiting))
        if formula in way.done:
            open_ways.append(way)
        else:
            open_ways += _taken(way._replace(done=way.done | {formula}), formula)


def _taken(way: _Unfolded, formula: LinearFormula) -> Iterator[_Unfolded]:
    """A way with one more formula, which it may satisfy in several ways."""
    match formula:
        case Atomic(predicate, held):
            if Atomic(predicate, not held) not in way.truth:
                yield way._replace(truth=way.truth | {formula})
        case AllOf(parts):
            yield way._replace(waiting=(*way.waiting, *parts))
        case AnyOf(parts):
            for part in parts:
                yield way._replace(waiting=(*way.waiting, part))
        case Always(part):
            yield way._replace(waiting=(*way.waiting, part), following=way.following | {formula})
        case Eventually(part):
            yield way._replace(waiting=(*way.waiting, part))
            yield way._replace(
                following=way.following | {formula}, deferred=way.deferred | {formula}
            )


def _without_implied(rest: Rest) -> Rest:
    """A rest without what a `[]` of it demands of the next state in any case."""
    implied: set[LinearFormula] = set()
    waiting = [each.part for each in rest if isinstance(each, Always)]
    while waiting:
        formula = waiting.pop()
        implied.add(formula)
        if isinstance(formula, AllOf):
            waiting += formula.parts
        elif isinstance(formula, Always):
            waiting.append(formula.part)
    return rest - implied


def _needed(edges: Sequence[AutomatonEdge]) -> list[AutomatonEdge]:
    """The edges without those that demand more than another one does."""
    kept: list[AutomatonEdge] = []
    for edge in sorted(edges, key=lambda each: (len(each.truth), len(each.deferred))):
        if not any(
            other.target == edge.target
            and other.truth <= edge.truth
            and other.deferred <= edge.deferred
            for other in kept
        ):
            kept.append(edge)
    return kept
