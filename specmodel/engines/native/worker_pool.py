"""The threads of a search: each has a shard of the states, and all share the level to expand."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from specmodel.engines.native.coverage_counts import KernelCoverage
from specmodel.engines.native.loop import levels
from specmodel.engines.native.loop.core import Functions
from specmodel.engines.native.loop.memory import DiskFull, Memory
from specmodel.engines.native.loop.sampling import Sampler
from specmodel.engines.native.loop.tags import LevelLimit
from specmodel.engines.native.predecessors import predecessor
from specmodel.engines.native.shard import Shard
from specmodel.engines.native.shards import open_shards
from specmodel.engines.native.threads import Threads
from specmodel.errors import MemoryLimit
from specmodel.kernel.context import Context, NotedState, least
from specmodel.kernel.counter import Totals
from specmodel.kernel.kernel import Kernel
from specmodel.machine.words import WORD

if TYPE_CHECKING:
    from specmodel.engines.native.stores.cold import Store

T = TypeVar("T")

ALL = 1 << 62
"""More levels, and more states, than a search can have."""


class Worker:
    """A shard with its kernel context and its counters."""

    def __init__(self, shard: Shard, context: Context, totals: Totals) -> None:
        self.shard = shard
        self.context = context
        self.totals = totals


class WorkerPool:
    """All workers of a search. Each counts for the `coverage_counts`, while these still count."""

    def __init__(
        self,
        kernel: Kernel,
        workers: int,
        memory: Memory,
        coverage_counts: KernelCoverage,
        store: Store | None = None,
        fingerprints: bool = False,
        states: int = 0,
    ) -> None:
        """`states` is the number of states, if it is known.

        `store` keeps the states for which the tables have no room, if there is one.

        With `fingerprints`, the tables hold fingerprints, so no paths can be found.
        """
        self.kernel = kernel
        self.memory = memory
        self._stopped = ""
        self._begun = 0
        self._scratch = [kernel.context() for _ in range(workers)]
        contexts = [kernel.context() for _ in range(workers)]
        functions = Functions(
            kernel.expand_address,
            kernel.bindings,
            kernel.keep_address,
            kernel.canonical_address,
            kernel.check_address,
        )
        layout = kernel.program.layout
        addresses = [context.address for context in contexts]
        shards = open_shards(
            layout.words,
            layout.tag_shift,
            functions,
            addresses,
            memory,
            fingerprints=fingerprints,
            states=states,
            key=layout.key_words,
        )
        if store is not None:
            from specmodel.engines.native.stores.cold import Cold  # most searches have no store
            from specmodel.engines.native.stores.run import Hashes

            for shard in shards:
                shard.spill(Cold(shard, Hashes(shard.number, workers), layout, store))
        self.coverage_counts = coverage_counts
        self._shared = shards[0].shared
        self.workers = [
            Worker(shard, context, totals)
            for shard, context, totals in zip(shards, contexts, coverage_counts.totals, strict=True)
        ]
        self._threads = Threads(workers)

    def close(self) -> None:
        """Ends the threads and releases the memory of states. There is none before work begins."""
        self._threads.close()
        for worker in self.workers:
            worker.shard.close()
        self.workers[0].shard.pool.close()  # all shards have the same pool

    @property
    def stopped(self) -> str:
        """Why the search is to end; empty while it continues."""
        return self._stopped

    @stopped.setter
    def stopped(self, why: str) -> None:
        self._stopped = why
        if why:
            self._shared.stop()

    @property
    def distinct(self) -> int:
        return sum(worker.shard.distinct for worker in self.workers)

    @property
    def depth(self) -> int:
        """The number of levels reached, also by an `advance` that goes on."""
        return self._begun + sum(map(bool, self._shared.sizes))

    @property
    def frontier(self) -> int:
        """The number of states found but not expanded yet."""
        return self._shared.left

    @property
    def disk(self) -> int:
        """Bytes of states on disk."""
        stores = [worker.shard.cold for worker in self.workers]
        return sum(cold.bytes_on_disk for cold in stores if cold is not None)

    def fired(self) -> list[int]:
        """How often each action fired."""
        return [
            sum(counts) for counts in zip(*(w.context.fired() for w in self.workers), strict=True)
        ]

    def fewer(self) -> int:
        """The number of states that were expanded by fewer steps than are enabled there."""
        return sum(w.context.array[w.context.layout.fewer] for w in self.workers)

    def sample(self, states: int) -> list[Sampler]:
        """Draws a sample of this number of states from all states that are found from now on."""
        samplers = [Sampler(self.kernel.program.layout.words, states) for _ in self.workers]
        for worker, sampler in zip(self.workers, samplers, strict=True):
            worker.context.note_first_steps()
            level = worker.context.address + worker.context.layout.level * WORD
            worker.shard.sample(sampler.address, level)
        return samplers

    def first_steps(self) -> list[tuple[int, ...]]:
        """For each action that was taken, the least state that enabled it, at the first level."""
        least: dict[int, tuple[int, tuple[int, ...]]] = {}
        for worker in self.workers:
            for action, level, words in worker.context.first_steps():
                least[action] = min(least.get(action, (level, words)), (level, words))
        return [words for _, (_, words) in sorted(least.items())]

    # A level

    def seed(self, states: Sequence[tuple[int, ...]]) -> None:
        """Makes the initial states the first level, and checks them."""
        self._look()
        self.workers[0].shard.seed(states)
        self.workers[0].shard.flush()
        for worker in self.workers:
            worker.shard.receive()

    def _look(self) -> None:
        """Tells the shards which findings to look for in states from now on."""
        for worker in self.workers:
            layout, number = worker.context.layout, worker.shard.number
            worker.shard.watch(
                range(layout.record(0), layout.record(layout.records)),
                worker.totals.address if self.coverage_counts.going else 0,
                self.coverage_counts.thread_profiles[number].address
                if self.coverage_counts.thread_profiles
                else 0,
            )

    def advance(self, level: int, levels: int = 1, states: int = ALL) -> list[int]:
        """Expands a level (0: the initial states) unless told to stop, and checks the next.

        It may continue for at most `levels` levels, while fewer than `states` states are found.
        Returns the number of states of each level reached. The last level may lack states if
        `stopped` says so; all levels before it are finished.
        """
        before = self.distinct
        try:
            for worker in self.workers:
                worker.shard.mark(level + 1)
                worker.context.array[worker.context.layout.level] = level
            self._look()
            self._begun = level + 1
            last = self.workers[0].shard.last_level
            self._shared.begin(
                min(levels, last - level), states, before, self.coverage_counts.going
            )
            self._together(self._search)
            return self._shared.sizes
        except LevelLimit:
            self.stopped = "max-depth"
            for worker in self.workers:
                worker.shard.drop_level()  # there is no level after this one
            return [0]
        except (MemoryLimit, MemoryError, DiskFull) as full:
            self.stopped = "disk-full" if isinstance(full, DiskFull) else "max-memory"
            for worker in self.workers:
                worker.shard.abandon()
            return self._unfinished(before)

    def _unfinished(self, before: int) -> list[int]:
        """The number of states of the levels that were reached, the last of which could not be
        finished.

        `before` is the number of states before them.
        """
        finished = self._shared.sizes
        found = self.distinct - before - sum(finished)
        # With sorted runs, it is not known which of the last level's states are new.
        settled = all(worker.shard.active_cold is None for worker in self.workers)
        return [*finished, found if settled else max(0, found)]

    def _search(self, worker: Worker) -> None:
        """The part of one worker in a search of all workers."""
        try:
            worker.shard.work(worker.shard.core.code[levels.search])
        except BaseException:
            self._shared.stop(failed=True)
            raise

    def each(self, task: Callable[[Worker], T]) -> list[T]:
        """The results of a task for each worker, side by side.

        The workers do not wait for each other.

        Raises the error of any of them.
        """
        return self._threads.run_apart(lambda number: task(self.workers[number]))

    def _together(self, task: Callable[[Worker], None]) -> None:
        """Runs a task that needs all workers at once.

        Raises NoThreads, and the error of any of them.
        """
        self._threads.run(lambda number: task(self.workers[number]))

    def restore_counters(self, counters: Sequence[int]) -> None:
        """Starts the counts of `fired` and `fewer` at those of the run that this one continues."""
        *fired, fewer = counters
        context = self.workers[0].context
        context.restore_fired(fired)
        context.array[context.layout.fewer] = fewer

    # What was found

    def findings(self) -> dict[int, NotedState]:
        """The least finding of each record since the last call, over all workers."""
        found = [worker.context.findings() for worker in self.workers]
        for worker, noted in zip(self.workers, found, strict=True):
            for record in noted:
                worker.context.forget(record)
        return least(found)

    def ignore(self, record: int) -> None:
        """Stops looking for a finding."""
        for worker in self.workers:
            worker.context.want(record, False)

    def batches(self, level: int) -> Iterator[tuple[ctypes.Array[ctypes.c_uint64], int]]:
        """The states of a level in columns, some at a time, in no order; see `Shard.batches`."""
        for worker in self.workers:
            yield from worker.shard.batches(level)

    def states(self, level: int) -> Iterator[tuple[int, ...]]:
        """The states of a level, in no order."""
        for worker in self.workers:
            yield from worker.shard.states(level)

    def predecessor(self, words: tuple[int, ...], level: int) -> tuple[int, ...]:
        """The least state of a level that leads to another."""
        sources = self._threads.run_apart(
            lambda number: predecessor(
                self.workers[number].shard, words, level, self._scratch[number].address
            )
        )
        found = [state for state in sources if state is not None]
        if not found:
            raise AssertionError("a state has no predecessor in the level before it")
        return min(found)
