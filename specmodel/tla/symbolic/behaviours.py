"""Decides temporal properties of a module after a compiled search, on the graph of its states.

What a formula says of states and steps is computed for many of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, overload

import numpy as np

from specmodel.design import Design
from specmodel.engines.native.numbered_steps import NumberedStates, NumberedSteps
from specmodel.engines.native.search import NativeSearch
from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.graphs import GraphKernel
from specmodel.liveness.graph import Bools, distinct, refuse_too_many
from specmodel.results import Options
from specmodel.tla.claims import PlacedRun
from specmodel.tla.liveness import TlaGraph
from specmodel.tla.scopes import Run
from specmodel.tla.symbolic.arrays import Columns, leaf_columns
from specmodel.tla.symbolic.call_depths import CUT
from specmodel.tla.symbolic.compiled import CompiledModule
from specmodel.tla.symbolic.model import CompiledModel
from specmodel.tla.symbolic.sampling import DepthExceeded
from specmodel.tla.values import EvaluationError, Value

TlaTuple = tuple[Value, ...]

BLOCK = 1 << 16
"""States or steps whose conditions are computed at once."""


class StatesInOrder(Sequence[TlaTuple]):
    """The states of a search by their numbers."""

    def __init__(self, module: CompiledModule, states: NumberedStates) -> None:
        self.module = module
        self.states = states

    def __len__(self) -> int:
        return self.states.size

    @overload
    def __getitem__(self, index: int) -> TlaTuple: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TlaTuple]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self.module.values(self.module.layout.unpack(self.states[int(index)]))

    def columns(self, numbers: Any) -> list[Any]:
        """The codes of the leaves of some states."""
        return leaf_columns(self.states.columns[:, numbers], self.module.layout.slots)


class BehaviourGraph(TlaGraph):
    """The graph of a module's states; formulas are computed as nodes of the module's graph."""

    states: StatesInOrder

    def truth(self, run: Run, span: Span) -> Bools:
        states, (node, failures) = self.states, self._node(run, False)
        found = np.zeros(len(states), np.bool_)
        for first in range(0, len(states), BLOCK):
            self.poll()
            numbers = np.arange(first, min(first + BLOCK, len(states)))
            columns = Columns(states.columns(numbers))
            self._refuse_failing(failures, columns, len(numbers), span)
            found[numbers] = columns.truth(node, len(numbers))
        return found

    def steps(self, run: Run, span: Span, edges: Any) -> Bools:
        states, (node, failures) = self.states, self._node(run, True)
        found = np.zeros(len(edges), np.bool_)
        for first in range(0, len(edges), BLOCK):
            self.poll()
            some = edges[first : first + BLOCK]
            before = states.columns(self.sources[some])
            columns = Columns([*before, *states.columns(self.targets[some])])
            self._refuse_failing(failures, columns, len(some), span)
            found[first : first + len(some)] = columns.truth(node, len(some))
        return found

    def _node(self, run: Run, stepping: bool) -> tuple[Node, list[tuple[Node, str, Span | None]]]:
        assert isinstance(run, PlacedRun)
        own = self.states.module.own
        after = None
        if stepping:
            sizes = self.states.module.sizes
            after = [own.graph.leaf(i + len(sizes), size - 1) for i, size in enumerate(sizes)]
        return own.formula(run.term, run.scope, run.bound, run.form, after)

    def _refuse_failing(
        self,
        failures: Sequence[tuple[Node, str, Span | None]],
        columns: Columns,
        size: int,
        span: Span,
    ) -> None:
        for node, message, place in failures:
            if columns.truth(node, size).any():
                if message == CUT and place is not None:
                    raise DepthExceeded(place)
                raise EvaluationError(message, place or span)


class ModuleSearch(NativeSearch):
    """A compiled search that decides temporal claims at its end, by `decide` on the graph."""

    def __init__(
        self, design: Design, options: Options, decide: Callable[[TlaGraph], None]
    ) -> None:
        super().__init__(design, options)
        self.decide = decide

    def search_levels(self) -> None:
        super().search_levels()
        if not self.stopped:
            self.decide(self._behaviours())

    def _behaviours(self) -> BehaviourGraph:
        model: Any = self.design.spec
        assert isinstance(model, CompiledModel)
        states = NumberedStates(
            self.worker_pool, self.layout.words, self.depth, self.memory, self.poll
        )
        kernel = GraphKernel(self.design.spec, ())
        with closing(NumberedSteps(kernel, states, self.memory, self.poll)) as again:
            sources, targets = _edges(again, states.size)
        degrees = np.bincount(sources, minlength=states.size)
        levels = np.diff(states.levels).tolist()
        held = StatesInOrder(model.module, states)
        return BehaviourGraph(held, degrees, targets, levels, self.poll)


def _edges(again: NumberedSteps, size: int) -> tuple[Any, Any]:
    """The edges between states, each once, in the order of the states that they leave."""
    found: list[Any] = []
    count = 0
    for block in _blocks(again, size):
        found.append(block)
        count += len(block)
        refuse_too_many(count)
    edges = np.concatenate(found) if found else np.empty(0, np.int64)
    return edges // size, edges % size


def _blocks(again: NumberedSteps, size: int) -> Iterator[Any]:
    for sources, numbers, _ in again.steps(0, size):
        kept = (numbers >= 0) & (numbers != sources)
        yield distinct(sources[kept] * np.int64(size) + numbers[kept])
