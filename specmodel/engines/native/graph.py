"""Builds the state graph for temporal properties from a finished search."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

import numpy as np

from specmodel.behaviour.formulas import constraints, formulas, predicates
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.numbered_steps import NumberedStates, NumberedSteps
from specmodel.kernel.graphs import GraphKernel
from specmodel.liveness.graph import (
    Poll,
    StateGraph,
    bit_columns,
    kinds_of,
    refuse_too_many,
)
from specmodel.model.model import Model, Rule


class GraphBuilder:
    """Builds the graph of a spec's states for some temporal properties."""

    def __init__(self, spec: Model, rules: Iterable[Rule], memory: Memory, poll: Poll) -> None:
        """Compiles the kernel. `poll` is called regularly, and may raise to end the work."""
        self.spec = spec
        self.wanted = predicates(f for rule in rules for f in formulas(rule))
        self.kernel = GraphKernel(spec, self.wanted)
        self.memory = memory
        self.poll = poll

    def build(self, states: NumberedStates) -> StateGraph:
        """The graph. Raises MemoryLimit, PredicateFailure, and the errors of `poll`."""
        with closing(NumberedSteps(self.kernel, states, self.memory, self.poll)) as again:
            return self._built(states, again)

    def _built(self, states: NumberedStates, again: NumberedSteps) -> StateGraph:
        bindings = self.kernel.program.bindings
        fair = constraints(self.spec, bindings)
        kinds, takes = kinds_of(fair, len(bindings))
        truth = again.truth()
        enabled = np.zeros((states.size, bit_columns(len(fair))), np.uint64)
        self.memory.taken(enabled.nbytes)
        degrees = np.zeros(states.size + 1, np.int64)
        targets, taken = [np.empty(0, np.int32)], [np.empty(0, np.uint16)]
        edges = 0
        for sources, numbers, binding in again.steps(0, states.size):
            changing = numbers != sources
            sources, numbers, kind = sources[changing], numbers[changing], kinds[binding[changing]]
            for column in range(enabled.shape[1]):
                np.bitwise_or.at(enabled[:, column], sources, takes[kind, column])
            inside = np.flatnonzero(numbers >= 0)
            order = inside[np.argsort(sources[inside], kind="stable")]
            targets.append(numbers[order].astype(np.int32))
            taken.append(kind[order])
            edges += len(order)
            refuse_too_many(edges)
            self.memory.taken(targets[-1].nbytes + taken[-1].nbytes)
            first, counts = np.unique(sources[inside], return_counts=True)
            degrees[first + 1] = counts
        return StateGraph(
            levels=states.levels,
            starts=np.cumsum(degrees),
            targets=np.concatenate(targets),
            kinds=np.concatenate(taken),
            takes=takes,
            enabled=enabled,
            constraints=fair,
            truth=dict(zip(self.wanted, truth, strict=True)),
        )
