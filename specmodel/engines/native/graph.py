"""The graph of states for temporal properties, out of a finished search.

The states are taken from the table level by level and sorted, which numbers them as the interpreter
would. Then the kernel expands them once more; this time each successor comes with the state and the
binding that it is of, and is looked up.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from specmodel.engines.native.crew import Crew
from specmodel.engines.native.memory import LANES, WORD, Memory, Region
from specmodel.engines.native.numbering import Numbering
from specmodel.kernel.context import PROPERTY_FAILURE, Finding
from specmodel.kernel.graphs import BINDING, BITS, GraphKernel
from specmodel.lang.spec import Rule, Spec
from specmodel.liveness.formulas import constraints, formulas, predicates
from specmodel.liveness.graph import (
    Bools,
    Poll,
    StateGraph,
    bit_columns,
    kinds_of,
    refuse_too_many,
)

SUCCESSORS = 1 << 16
"""Room for so many successors at a time, or for those of a few blocks if they can be more."""

LABELLED = 1 << 16
"""States whose predicates are looked at between two polls."""

Columns = NDArray[np.uint64]


class PredicateFailure(Exception):  # noqa: N818 - found by a search, as a violation is
    """A predicate fails in a state: the finding has its number, `level` is the state's."""

    def __init__(self, finding: Finding, level: int) -> None:
        super().__init__()
        self.finding = finding
        self.level = level


class NumberedStates:
    """The states of a finished search in columns, in the order of their numbers."""

    def __init__(self, crew: Crew, words: int, depth: int, memory: Memory, poll: Poll) -> None:
        self.words, self.size = words, crew.distinct
        self.stride = -(-self.size // LANES) * LANES + LANES
        self.region: Region = memory.region(words * self.stride * WORD)
        held = (ctypes.c_uint64 * (words * self.stride)).from_address(self.region.address)
        self.columns: Columns = np.frombuffer(memoryview(held), np.uint64).reshape(
            words, self.stride
        )
        ends = [0]
        for level in range(depth):
            poll()
            ends.append(self._take(crew, level, ends[-1]))
        if ends[-1] != self.size:
            raise AssertionError(f"of {self.size} states only {ends[-1]} are in the table")
        self.levels = np.array(ends, np.int64)

    @property
    def address(self) -> int:
        """Of the columns, for a kernel."""
        return self.region.address

    def __getitem__(self, number: int) -> tuple[int, ...]:
        """The words of a state."""
        return tuple(self.columns[:, number].tolist())

    def _take(self, crew: Crew, level: int, start: int) -> int:
        """Puts the states of a level in from a place on; gives where they end."""
        end = start
        for stage, count in crew.batches(level):
            batch = np.frombuffer(memoryview(stage), np.uint64).reshape(self.words, -1)
            self.columns[:, end : end + count] = batch[:, :count]
            end += count
        mine = self.columns[:, start:end]
        self.columns[:, start:end] = mine[:, np.lexsort(mine[::-1])]
        return end


class GraphBuilder:
    """Builds the graph of a spec's states for some temporal properties."""

    def __init__(self, spec: Spec, rules: Iterable[Rule], memory: Memory, poll: Poll) -> None:
        """Compiles what it needs. `poll` is called now and then, and may raise to end it."""
        self.spec = spec
        self.wanted = predicates(f for rule in rules for f in formulas(rule))
        self.kernel = GraphKernel(spec, self.wanted)
        self.memory = memory
        self.poll = poll

    def build(self, states: NumberedStates) -> StateGraph:
        """The graph. Raises MemoryLimit, PredicateFailure, and what `poll` does."""
        bindings = self.kernel.program.bindings
        fair = constraints(self.spec, bindings)
        kinds, takes = kinds_of(fair, len(bindings))
        truth = self._truth(states)
        enabled = np.zeros((states.size, bit_columns(len(fair))), np.uint64)
        self.memory.taken(enabled.nbytes)
        degrees = np.zeros(states.size + 1, np.int64)
        targets, taken = [np.empty(0, np.int32)], [np.empty(0, np.uint16)]
        edges = 0
        for sources, numbers, kind in self._steps(states, kinds):
            changing = numbers != sources
            sources, numbers, kind = sources[changing], numbers[changing], kind[changing]
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

    def _steps(
        self, states: NumberedStates, kinds: NDArray[np.uint16]
    ) -> Iterable[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint16]]]:
        """All steps, some states at a time: number before, number after (-1: none), kind."""
        words, kernel = states.words, self.kernel
        context = kernel.context()
        room = max(SUCCESSORS, 4 * LANES * kernel.bindings)
        stride = room + LANES
        out = np.empty((words + 1, stride), np.uint64)
        numbers = np.empty(stride, np.int64)
        table = Numbering(words, states.address, states.stride, states.size, self.memory)
        done = 0
        try:
            while done < states.size:
                self.poll()
                context.count = 0
                consumed = kernel.edges(
                    states.address,
                    states.stride,
                    done,
                    states.size - done,
                    out.ctypes.data,
                    stride,
                    room,
                    context.address,
                )
                count = context.count
                table.ask(out.ctypes.data, stride, count, numbers.ctypes.data)
                origins = out[words, :count]
                sources = (origins & np.uint64((1 << BINDING) - 1)).astype(np.int64) + done
                yield sources, numbers[:count], kinds[origins >> np.uint64(BINDING)]
                done += consumed
        finally:
            table.close()

    def _truth(self, states: NumberedStates) -> list[Bools]:
        """The truth of each predicate in each state."""
        kernel, context = self.kernel, self.kernel.context()
        labels = np.empty((kernel.label_words, states.stride), np.uint64)
        self.memory.taken(len(self.wanted) * states.size)
        for level, (first, stop) in enumerate(pairwise(states.levels.tolist())):
            for start in range(first, stop, LABELLED):
                self.poll()
                count = min(LABELLED, stop - start)
                # The lanes past a level's end are written again with the next.
                kernel.label(
                    states.address,
                    states.stride,
                    start,
                    count,
                    labels.ctypes.data,
                    context.address,
                )
            failed = context.finding(PROPERTY_FAILURE)
            if failed is not None:
                raise PredicateFailure(failed, level)
        return [
            (labels[p // BITS, : states.size] >> np.uint64(p % BITS) & np.uint64(1)).astype(
                np.bool_
            )
            for p in range(len(self.wanted))
        ]
