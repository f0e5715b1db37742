"""Several counterexamples that differ in their actions, not only in the order of steps.

Two counterexamples have different shapes if they differ in how often each action happens. The
greatest difference is an action that only one of them takes, so these are searched first: remove an
action of a known counterexample from the design, and search for the shortest one without it (the
tree of Reiter, "A theory of diagnosis from first principles", 1987). Then come other shapes of the
shortest, those farthest from the known ones first; and then counterexamples from random walks,
without every step that can be removed, the shorter first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from specmodel.analysis import checking
from specmodel.analysis.minimising import MOST_STATES, Unfinished, shortest_trace
from specmodel.analysis.searches import SearchLimits
from specmodel.analysis.shortest import (
    Shape,
    ShortestGraph,
    TooManyStatesError,
    shape_of,
    shortest_graph,
    told_graph,
)
from specmodel.analysis.shrinking import Budget, Finding, shrink
from specmodel.analysis.simulation import first_walk
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines.registry import DEFAULT
from specmodel.errors import UsageError
from specmodel.model.model import Interpreted
from specmodel.options import Options
from specmodel.results import DEADLOCK, Trace
from specmodel.walks.plan import Strategy, WalkPlan

MOST_SEARCHES = 32
"""The greatest number of searches without some of the actions."""

MOST_TRIES = 12
"""The greatest number of seeds for walks."""

WALKS = 20_000
"""The greatest number of walks from one seed."""

NO_SEARCH = Budget(states=0, steps=10_000)
"""Steps are removed from a walk without a search, which would find the shortest again."""


@dataclass(frozen=True)
class Shaped:
    """A counterexample (of a reachable property: a witness) and its shape.

    It is one of the `shortest`, the shortest `without` some actions, or from a `walk`: then no step
    of it can be removed. `without` names the actions that were removed from the design to find it.
    `distance` is the number of steps by which its shape differs from the nearest shape before it,
    None for the first.
    """

    origin: Literal["shortest", "without", "walk"]
    trace: Trace
    shape: Shape
    without: tuple[str, ...]
    distance: int | None


@dataclass(frozen=True)
class Counterexamples:
    """The counterexamples for one finding: all shortest together, and some of different shapes.

    `graph` and `shapes` (the number of shapes of the shortest) are None if there are too many
    states up to the finding. `needed` are the actions that every counterexample of at most
    `longest` states takes; `decided` is False if a search for those ended early.
    """

    design: str
    property: str
    kind: str
    found: tuple[Shaped, ...]
    graph: ShortestGraph | None
    shapes: int | None
    needed: tuple[str, ...]
    decided: bool
    longest: int


def counterexamples(
    design: Design,
    name: str = "",
    *,
    most: int = 5,
    longer: int = 4,
    limits: SearchLimits = SearchLimits(),
    states: int = MOST_STATES,
) -> Counterexamples:
    """Counterexamples to a property (default: the first that is violated) of different shapes.

    At most `most`, and none with more than `longer` states more than the shortest, which comes
    first. A reachable property has witnesses instead; `deadlock` is a name too. `states` bounds the
    graph of the shortest. Raises UsageError if there is none, Unfinished if a limit is reached
    before the first is found, and the errors of a search.
    """
    if isinstance(design.spec, Interpreted):
        most_states = states

        def compiled(
            made: Design, left: float | None, told: Callable[[Trace], Trace]
        ) -> Counterexamples:
            within = replace(limits, timeout=left)
            found = counterexamples(
                made, name, most=most, longer=longer, limits=within, states=most_states
            )
            whole = None if design.symmetry else found.graph
            graph = whole and told_graph(whole, told)
            return replace(found, found=tuple(_told(one, told) for one in found.found), graph=graph)

        return design.spec.compiled(design, Options(timeout=limits.timeout), compiled)
    name = _named(design, name, limits)
    least = shortest_trace(design, name, None, limits)
    if least is None:
        raise UsageError(f"{design.name}: there is no trace to {name}: it was searched to its end")
    longest = least.length + longer
    try:
        graph = shortest_graph(design, name, least.length, states)
    except TooManyStatesError:
        graph = None
    without = _Without(design, name, longest, limits)
    without.search(least)
    shapes = graph.by_shape() if graph else {}
    found = list(_chosen(without.found, shapes, most))
    if len(found) < most:
        for trace in sorted(_walks(design, name, longest), key=lambda trace: trace.length):
            if len(found) < most:
                _add(found, "walk", trace)
    kind = next((r.role for r in design.spec.properties if r.name == name), DEADLOCK)
    return Counterexamples(
        design=design.name,
        property=name,
        kind=kind,
        found=tuple(found),
        graph=graph,
        shapes=len(shapes) if graph else None,
        needed=without.needed,
        decided=without.decided,
        longest=longest,
    )


def _told(shaped: Shaped, told: Callable[[Trace], Trace]) -> Shaped:
    trace = told(shaped.trace)
    return replace(shaped, trace=trace, shape=shape_of(trace.steps))


def _named(design: Design, name: str, limits: SearchLimits) -> str:
    """The name of the property asked for, or of the first that is violated."""
    if name == DEADLOCK:
        return name
    if name:
        return design.stated([name])[0].name
    result = checking.check(
        design,
        properties=[rule.name for rule in design.stated(None)],
        **vars(limits),
    )
    for found in result.properties:
        if found.verdict == "violated" and found.trace is not None:
            return found.name
    if result.complete:
        raise UsageError(
            f"{design.name} violates nothing; name a reachable property, if it has one"
        )
    raise Unfinished(f"{design.name}: no violation was found before {result.stopped}")


class _Without:
    """The shortest counterexamples of a design without some of its actions."""

    def __init__(self, design: Design, name: str, longest: int, limits: SearchLimits) -> None:
        self.design = design
        self.name = name
        self.longest = longest
        self.limits = limits
        self.found: list[tuple[Trace, tuple[str, ...]]] = []
        self.needed: tuple[str, ...] = ()
        self.decided = True

    def search(self, least: Trace) -> None:
        """Removes one action of each known counterexample, then a further one, as long as that is
        useful.

        It tries no set of actions that another counterexample does without already.
        """
        self.found = [(least, ())]
        waiting: deque[tuple[str, ...]] = deque((action,) for action in _actions(least))
        tried: set[frozenset[str]] = set()
        searches = 0
        while waiting and searches < MOST_SEARCHES:
            gone = waiting.popleft()
            if frozenset(gone) in tried:
                continue
            tried.add(frozenset(gone))
            known = next((t for t, _ in self.found if not set(gone) & set(_actions(t))), None)
            if known is None:
                searches += 1
                known = self._shortest(gone)
                if known is None:
                    self.needed += gone if len(gone) == 1 else ()
                    continue
                self.found.append((known, gone))
            waiting += [(*gone, action) for action in _actions(known)]

    def _shortest(self, gone: Sequence[str]) -> Trace | None:
        design = replace(self.design, spec=self.design.spec.without(*gone))
        try:
            return shortest_trace(design, self.name, self.longest, self.limits)
        except Unfinished:
            self.decided = False
            return None


def _actions(trace: Trace) -> tuple[str, ...]:
    """The actions of a trace, by their first step."""
    return tuple(dict.fromkeys(step.action for step in trace.steps))


def _chosen(
    without: Sequence[tuple[Trace, tuple[str, ...]]], shapes: dict[Shape, Trace], most: int
) -> list[Shaped]:
    """Counterexamples without an action of the first one, the shorter first; then other shapes, the
    most different first."""
    found: list[Shaped] = []
    first, *others = without
    _add(found, "shortest", first[0])
    for trace, gone in sorted(others, key=lambda held: held[0].length):
        if len(found) < most:
            _add(found, "without", trace, gone)
    while len(found) < most:
        known = [shaped.shape for shaped in found]
        rest = [shape for shape in shapes if shape not in known]
        if not rest:
            break
        far = max(rest, key=lambda shape: _distance(shape, known) or 0)
        _add(found, "shortest", shapes[far])
    return found


def _add(
    found: list[Shaped],
    origin: Literal["shortest", "without", "walk"],
    trace: Trace,
    without: tuple[str, ...] = (),
) -> None:
    """Adds a counterexample, if its shape is new."""
    known, shape = [shaped.shape for shaped in found], shape_of(trace.steps)
    if shape not in known:
        found.append(Shaped(origin, trace, shape, without, _distance(shape, known)))


def _walks(design: Design, name: str, longest: int) -> Iterator[Trace]:
    """The counterexamples from walks, except those that are too long."""
    finding = Finding(design, name)
    for seed in range(MOST_TRIES):
        plan = WalkPlan(
            walks=WALKS, seed=seed, strategy=Strategy.pct, workers=checking.default_workers()
        )
        met = first_walk(design, plan, name)
        if met is None:
            return
        shrunk = shrink(finding, met.states, met.bindings, DEFAULT, NO_SEARCH)
        if shrunk.irreducible and shrunk.trace.length <= longest:
            yield shrunk.trace


def _distance(shape: Shape, others: Sequence[Shape]) -> int | None:
    """The number of steps by which a shape differs from the nearest of others."""
    counts = dict(shape)

    def steps(other: dict[str, int]) -> int:
        return sum(abs(counts.get(a, 0) - other.get(a, 0)) for a in counts | other)

    return min((steps(dict(other)) for other in others), default=None)
