"""All states and steps of a finished search, numbered.

The states of each level are taken from the tables and sorted. So their numbers are those that the
interpreter would give. Then the kernel expands them once more. This time each successor comes with
its source state and binding, and its number is looked up.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from specmodel.engines.native.loop.memory import Memory, Region
from specmodel.engines.native.numbering import Numbering
from specmodel.engines.native.worker_pool import WorkerPool
from specmodel.kernel.context import PROPERTY_FAILURE, NotedState
from specmodel.kernel.expanding import BINDING
from specmodel.kernel.graphs import GraphKernel
from specmodel.kernel.truths import BITS
from specmodel.liveness.graph import Bools, Places, Poll
from specmodel.machine.words import LANES, WORD

SUCCESSORS = 1 << 16
"""Room for this number of successors at a time, or for those of a few blocks if they are more."""

LABELLED = 1 << 16
"""States whose predicates are evaluated between two polls."""

Columns = NDArray[np.uint64]


class PredicateFailure(Exception):  # noqa: N818 - found by a search, as a violation is
    """A predicate fails in a state: the finding has the state's number, `level` is the state's."""

    def __init__(self, finding: NotedState, level: int) -> None:
        super().__init__()
        self.finding = finding
        self.level = level


class NumberedStates:
    """The states of the first `depth` levels of a search in columns, in order of their numbers."""

    def __init__(
        self, worker_pool: WorkerPool, words: int, depth: int, memory: Memory, poll: Poll
    ) -> None:
        """Takes the states from the tables. Raises MemoryLimit, and the errors of `poll`."""
        self.words = words
        self.stride = -(-worker_pool.distinct // LANES) * LANES + LANES
        self.region: Region = memory.region(words * self.stride * WORD)
        held = (ctypes.c_uint64 * (words * self.stride)).from_address(self.region.address)
        self.columns: Columns = np.frombuffer(memoryview(held), np.uint64).reshape(
            words, self.stride
        )
        ends = [0]
        for level in range(depth):
            poll()
            ends.append(self._take(worker_pool, level, ends[-1]))
        self.size = ends[-1]
        self.levels = np.array(ends, np.int64)

    @property
    def address(self) -> int:
        """The address of the columns, for a kernel."""
        return self.region.address

    def __getitem__(self, number: int) -> tuple[int, ...]:
        """The words of a state."""
        return tuple(self.columns[:, number].tolist())

    def _take(self, worker_pool: WorkerPool, level: int, start: int) -> int:
        """Copies the states of a level to the columns from a place on; returns where they end."""
        end = start
        for stage, count in worker_pool.batches(level):
            batch = np.frombuffer(memoryview(stage), np.uint64).reshape(self.words, -1)
            self.columns[:, end : end + count] = batch[:, :count]
            end += count
        mine = self.columns[:, start:end]
        self.columns[:, start:end] = mine[:, np.lexsort(mine[::-1])]
        return end


class NumberedSteps:
    """The steps between numbered states, and the truth of predicates in the states."""

    def __init__(
        self, kernel: GraphKernel, states: NumberedStates, memory: Memory, poll: Poll
    ) -> None:
        """`poll` is called regularly, and may raise to end the work."""
        self.kernel = kernel
        self.states = states
        self.memory = memory
        self.poll = poll

    @cached_property
    def _numbers(self) -> Numbering:
        states = self.states
        return Numbering(states.words, states.address, states.stride, states.size, self.memory)

    def close(self) -> None:
        """Releases the memory of the lookup table."""
        if "_numbers" in self.__dict__:
            self._numbers.close()

    def steps(self, first: int, stop: int) -> Iterator[tuple[Places, Places, Places]]:
        """All steps of the states from number `first` up to `stop`, by blocks of states.

        Yields source numbers, target numbers (-1: not one of the states), and bindings. Raises
        MemoryLimit, and the errors of `poll`.
        """
        states, kernel = self.states, self.kernel
        context = kernel.context()
        room = max(SUCCESSORS, 4 * LANES * kernel.bindings)
        stride = room + LANES
        out = np.empty((states.words + 1, stride), np.uint64)
        numbers = np.empty(stride, np.int64)
        done = first
        while done < stop:
            self.poll()
            context.count = 0
            consumed = kernel.edges(
                states.address,
                states.stride,
                done,
                stop - done,
                out.ctypes.data,
                stride,
                room,
                context.address,
            )
            count = context.count
            if kernel.canonical is not None:
                kernel.canonical(out.ctypes.data, stride, count, context.address)
            self._numbers.ask(out.ctypes.data, stride, count, numbers.ctypes.data)
            origins = out[states.words, :count]
            sources = (origins & np.uint64((1 << BINDING) - 1)).astype(np.int64) + done
            bindings = (origins >> np.uint64(BINDING)).astype(np.int64)
            yield sources, numbers[:count], bindings
            done += consumed

    def truth(self) -> list[Bools]:
        """The truth of each of the kernel's predicates in each state.

        Raises PredicateFailure, MemoryLimit, and the errors of `poll`.
        """
        states, kernel, context = self.states, self.kernel, self.kernel.context()
        labels = np.empty((kernel.label_words, states.stride), np.uint64)
        self.memory.taken(len(kernel.wanted) * states.size)
        for level, (first, stop) in enumerate(pairwise(states.levels.tolist())):
            for start in range(first, stop, LABELLED):
                self.poll()
                count = min(LABELLED, stop - start)
                # The next level overwrites the lanes past a level's end.
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
            for p in range(len(kernel.wanted))
        ]
