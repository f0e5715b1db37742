"""The self-check of a simulation: states of some of its walks, compared with CPython."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from specmodel.analysis.running_simulation import RunningSimulation
from specmodel.ir.layout import Layout
from specmodel.results import SelfCheck
from specmodel.selfcheck.reference import Reference
from specmodel.selfcheck.run import INITIAL, compare
from specmodel.walks.plan import Strategy

if TYPE_CHECKING:
    from specmodel.selfcheck.run import CompiledPaths

WALKS = 16
"""The number of walks whose states are sampled, unless more states are asked for."""


def check_walks(running: RunningSimulation) -> SelfCheck | None:
    """Compares states of the walks with CPython; None if that is not wanted, or no walk is
    compiled. Raises Disagreement.

    The sample depends on the walks alone, not on the worker that made them.
    """
    asked = running.plan.self_check
    compiled = None if asked == 0 else running.walker.compiled()
    if compiled is None:
        return None
    sample = running.walker.totals().sample
    reference = Reference(running.design.spec, running.rules)
    return compare(
        running.design,
        reference,
        [compiled],
        asked,
        len(sample.walks) if sample.share == 1 else None,
        lambda wanted: _states(running, compiled, _walks(running, wanted)),
        running.seconds,
    )


def _walks(running: RunningSimulation, wanted: int) -> list[int]:
    """The numbers of walks to sample: by the hashes of states, the least walk to each.

    Walks that learn can be repeated only as long as their counts are the same.
    """
    most = max(WALKS, wanted // 4)
    if running.plan.strategy is Strategy.coverage:
        first, end = running.last
        return list(range(first, end, max(1, (end - first) // most)))
    sample = running.walker.totals().sample
    least = dict.fromkeys(min(walks) for _, walks in sorted(sample.walks.items()))
    return list(least)[: None if sample.share == 1 and wanted >= len(sample.walks) else most]


def _states(
    running: RunningSimulation, compiled: CompiledPaths, walks: Iterable[int]
) -> Iterator[tuple[int, ...]]:
    """States of walks: those with findings, then some of each walk, from all its parts."""
    layout = Layout(running.design.spec.domain)
    initial = [layout.pack(state) for state in running.initial]

    def of(walk: int) -> list[tuple[int, ...]]:
        path = running.walker.path(walk)
        return [initial[path.initial], *compiled.after(initial[path.initial], path.bindings)]

    yield from initial[:INITIAL]
    if running.following is not None:  # CPython has not replayed this part
        yield from of(running.following)
    for met in running.met.values():
        yield from (layout.pack(state) for state in met.states[-2:])
    paths = [of(walk) for walk in walks]
    # The golden ratio's multiples are spread evenly over a walk, however many are taken.
    for turn in range(max(map(len, paths), default=0)):
        for path in paths:
            if turn < len(path):
                yield path[int(turn * 0.6180339887 * len(path)) % len(path)]
    for path in paths:
        yield from path
