"""Finds the simplest trace to the same finding: the shortest, and the plainest of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from specmodel.analysis import checking
from specmodel.analysis.searches import SearchLimits
from specmodel.analysis.shortest import ShortestGraph, TooManyStatesError, shortest_graph
from specmodel.behaviour.replay import Replay
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.domains import Map
from specmodel.domains.records import Record
from specmodel.domains.scalars import ScalarSet
from specmodel.errors import SpecmodelError, UsageError, suggestion
from specmodel.model.model import Interpreted
from specmodel.options import Options
from specmodel.results import DEADLOCK, Step, Trace
from specmodel.traces.itf_read import ItfFile, states_of

MOST_STATES = 2_000_000
"""With more states up to the violation, the shortest traces are not compared with each other."""


class Unfinished(SpecmodelError):  # noqa: N818 - a limit met, not a mistake made
    """A search reached a limit before it had an answer."""

    exit_code = 3


@dataclass(frozen=True)
class Measures:
    """The measures of a trace, the most important first.

    `length` in states; `actors` that take part: a step names them or changes their part of the
    state; `outside`: steps by actions that are not on the main path; `actions`: different actions.
    """

    length: int
    actors: tuple[str, ...]
    outside: int
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Minimised:
    """A trace and the simplest trace to the same finding.

    `main` are the actions of the main path. `shortest` is the number of traces of the least length,
    from which this one was chosen, None if they had too many states to be compared.
    """

    design: str
    property: str
    main: tuple[str, ...]
    given: Measures
    found: Measures
    trace: Trace
    shortest: int | None


def minimise(
    design: Design,
    trace: Trace,
    name: str,
    *,
    main: Sequence[str] | None = None,
    limits: SearchLimits = SearchLimits(),
    most: int = MOST_STATES,
) -> Minimised:
    """The simplest trace to the same finding as a given trace: to the violation of a property.

    It is a shortest trace. Of the shortest, it has the fewest actors, then the fewest steps outside
    the main path, then the fewest different actions, then the fewest changes from one actor to
    another. The main path is the normal course of events: the actions on the shortest ways to the
    design's reachable properties, or those of `main`.

    Raises UsageError for an unknown action and for a trace with a loop, Unfinished if a limit is
    reached first.
    """
    if trace.loop is not None:
        raise UsageError("a trace with a loop does not end; only those that do are minimised")
    if isinstance(design.spec, Interpreted):

        def compiled(made: Design, left: float | None, told: Callable[[Trace], Trace]) -> Minimised:
            within = replace(limits, timeout=left)
            found = minimise(made, trace, name, main=main, limits=within, most=most)
            return replace(found, trace=told(found.trace))

        return design.spec.compiled(design, Options(timeout=limits.timeout), compiled)
    path = _main_path(design, limits) if main is None else _known(design, main)
    least = shortest_trace(design, name, trace.length, limits)
    assert least is not None, "the trace given is one"
    chosen, ways = least, None
    try:
        graph = shortest_graph(design, name, least.length, most)
    except TooManyStatesError:
        pass
    else:
        chosen, ways = _plainest(graph, path), graph.ways
    return Minimised(
        design=design.name,
        property=name,
        main=path,
        given=measures(trace, path),
        found=measures(chosen, path),
        trace=chosen,
        shortest=ways,
    )


def found_by(recorded: ItfFile, design: Design, name: str = "") -> tuple[Trace, str]:
    """The trace of a file as a trace of a design, and the property that it violates (or meets).

    The property is `name`, or else the one that the file names, or the first one of the design that
    is violated. Raises UsageError if a step cannot happen, the name is unknown, or the end violates
    nothing.
    """
    replay = Replay(design, states_of(recorded, design.spec.domain), recorded.actions)
    try:
        trace = replay.trace(recorded.loop)
    except UsageError as wrong:
        raise UsageError(f"{recorded.path} does not replay on {design.name}: {wrong}") from None
    wanted = name or recorded.property
    if wanted and wanted != DEADLOCK:
        wanted = design.chosen([wanted])[0].name
    tried = [wanted] if wanted else [r.name for r in design.chosen(None) if r.role != "reachable"]
    for tested in tried:
        if replay.violates(tested, trace):
            return trace, tested
    raise UsageError(f"{recorded.path} violates nothing at its end: {', '.join(tried)} hold there")


def measures(trace: Trace, main: Sequence[str]) -> Measures:
    """The length of a trace, and what takes part in it."""
    actors: dict[str, None] = {}
    for step, (before, after) in zip(trace.steps, pairwise(trace.states), strict=True):
        actors.update({str(actor): None for actor in _actors(step, before, after)})
    return Measures(
        length=trace.length,
        actors=tuple(sorted(actors)),
        outside=sum(step.action not in main for step in trace.steps),
        actions=tuple(dict.fromkeys(step.action for step in trace.steps)),
    )


def _known(design: Design, names: Sequence[str]) -> tuple[str, ...]:
    listed = [rule.name for rule in design.spec.rules]
    for name in names:
        if name not in listed:
            raise UsageError(f'{design.name} has no action "{name}"{suggestion(name, listed)}')
    return tuple(names)


def _main_path(design: Design, limits: SearchLimits) -> tuple[str, ...]:
    wanted = [rule.name for rule in design.spec.properties if rule.role == "reachable"]
    actions: dict[str, None] = {}
    for name in wanted:
        result = checking.check(
            design,
            properties=[name],
            keep_going=False,
            max_states=limits.max_states or MOST_STATES,
            timeout=limits.timeout,
        )
        found = result[name].trace
        actions.update({step.action: None for step in found.steps} if found else {})
    return tuple(actions)


def shortest_trace(
    design: Design, name: str, most: int | None, limits: SearchLimits
) -> Trace | None:
    """A shortest trace to a finding, of at most `most` states; None if there is none.

    Raises Unfinished if a limit was reached before that was known.
    """
    deadlock = name == DEADLOCK
    result = checking.check(
        design,
        properties=None if deadlock else [name],
        deadlock=deadlock,
        keep_going=deadlock,
        max_depth=most + 1 if deadlock and most is not None else most,
        **vars(limits),
    )
    found = result[name].trace
    if found is None and result.stopped not in ("", "max-depth"):
        raise Unfinished(f"{design.name}: no trace to {name} was found before {result.stopped}")
    return found


# The plainest of the shortest


@dataclass(frozen=True)
class _Way:
    """The beginning of a trace: an initial state, an edge of each level, and its measures."""

    initial: int
    edges: tuple[int, ...]
    actors: frozenset[Any]
    outside: int
    actions: frozenset[str]
    changes: int
    last: frozenset[Any]

    def further(self, edge: int, action: str, outside: bool, used: frozenset[Any]) -> _Way:
        """This way with one more step."""
        return _Way(
            self.initial,
            (*self.edges, edge),
            self.actors | used,
            self.outside + outside,
            self.actions | {action},
            self.changes + self.last.isdisjoint(used),
            used,
        )

    def rank(self) -> tuple[int, int, int, int, int, tuple[int, ...]]:
        used = (len(self.actors), self.outside, len(self.actions), self.changes)
        return (*used, self.initial, self.edges)

    def beats(self, other: _Way) -> bool:
        """Whether this way stays at least as good as the other, however both continue."""
        return (
            self.actors <= other.actors
            and self.outside <= other.outside
            and self.actions <= other.actions
            and self.changes + (not self.last >= other.last) <= other.changes
        )


def _plainest(graph: ShortestGraph, main: Sequence[str]) -> Trace:
    """The best way."""
    none = frozenset[Any]()
    steps = [graph.after(level) for level in range(graph.length - 1)]
    ways = {i: [_Way(i, (), none, 0, none, 0, none)] for i in range(len(graph.levels[0]))}
    for level, edges in enumerate(steps):
        further: dict[int, list[_Way]] = {}
        for number, edge in enumerate(edges):
            step, before = edge.step, graph.levels[level][edge.source]
            used = frozenset(_actors(step, before, graph.levels[level + 1][edge.target]))
            for way in ways[edge.source]:
                on = way.further(number, step.action, step.action not in main, used)
                _enter(further.setdefault(edge.target, []), on)
        ways = further
    best = min((way for group in ways.values() for way in group), key=_Way.rank)
    return graph.trace(best.initial, [at[n] for at, n in zip(steps, best.edges, strict=True)])


def _enter(group: list[_Way], way: _Way) -> None:
    """Keep a way unless another to the same state beats it, and drop those that it beats."""
    for other in group:
        if other.beats(way) and (not way.beats(other) or other.rank() < way.rank()):
            return
    group[:] = [other for other in group if not way.beats(other)]
    group.append(way)


def _actors(step: Step, before: Any, after: Any) -> Iterator[ScalarSet]:
    """The actors that take part in a step: it names them, or changes their part of the state."""
    yield from (value for value in step.arguments.values() if isinstance(value, ScalarSet))
    yield from _changed(before, after)


def _changed(before: Any, after: Any) -> Iterator[ScalarSet]:
    if isinstance(before, Record):
        if type(before) is not type(after):  # another alternative of a union
            return
        for name, held in vars(before).items():
            yield from _changed(held, vars(after)[name])
    elif isinstance(before, Map):
        for key, held in before.items():
            if key not in after or held != after[key]:
                if isinstance(key, ScalarSet):
                    yield key
                if key in after:
                    yield from _changed(held, after[key])
