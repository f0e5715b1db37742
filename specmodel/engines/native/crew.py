"""The threads of a search: each has a shard of the states, and all share what a level expands."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from specmodel.engines.native import levels, sampling
from specmodel.engines.native.available import processors
from specmodel.engines.native.chunks import Chunk
from specmodel.engines.native.core import Functions
from specmodel.engines.native.memory import WORD, DiskFull, Memory, MemoryLimit
from specmodel.engines.native.sampling import Sampler
from specmodel.engines.native.shard import NAP, Shard
from specmodel.engines.native.shards import open_shards
from specmodel.engines.native.survey import Survey
from specmodel.engines.native.tags import LevelLimit
from specmodel.engines.native.team import Team
from specmodel.kernel.context import Context, Finding, least
from specmodel.kernel.counter import Totals
from specmodel.kernel.kernel import Kernel

if TYPE_CHECKING:
    from specmodel.engines.native.stores.cold import Cold, Store

T = TypeVar("T")

FEW = 1 << 12
"""Levels of fewer states than this are searched by one thread, where Python has a part in them."""

ALL = 1 << 62
"""More levels, and states, than there can be."""


class Worker:
    """A shard with its kernel context, and with `runs` the states that it has in those of level
    `number`: so many, `in_runs`, are still to be expanded. All others are in the frontier."""

    def __init__(
        self, kernel: Kernel, shard: Shard, context: Context, survey: Survey, totals: Totals
    ) -> None:
        self.kernel = kernel
        self.shard = shard
        self.context = context
        self.survey = survey
        self.totals = totals
        self.runs: Cold | None = None
        self.number = 0
        self.in_runs = 0
        self.sampler: Sampler | None = None

    def look(self) -> None:
        """Tells the shard what is looked for in states from now on."""
        layout = self.context.layout
        records = range(layout.record(0), layout.record(layout.records))
        self.shard.watch(records, self.totals.address if self.survey.going else 0)

    def expand(self, stop: Callable[[], str], alone: bool = False) -> None:
        """Expands states of the level, until there are no more or something says stop.

        `alone`: no other worker takes in what it sends meanwhile.
        """
        self.shard.work(self.shard.core.code[levels.expand_level])
        if self.runs is not None and not stop():
            for chunk in self.shard.chunks(self.number):
                self.take_in_while(lambda: not alone and self.shard.crowding() and not stop())
                self._expand(chunk)
                self.in_runs -= chunk.count
                self.shard.pool.give(chunk)
                if stop():
                    break
            self.shard.flush()

    def _expand(self, states: Chunk) -> None:
        self.shard.drain()
        if self.survey.everything:
            self.totals.steps(states.address, states.capacity, states.count)
        self.shard.expand(states)

    def take_level(self) -> None:
        """Makes the fresh states the level that is expanded next."""
        self.in_runs = self.shard.end_level()
        self.shard.take_level()
        self.runs = self.shard.active_cold
        self.number = self.shard.level

    def receive(self) -> None:
        """Takes in what the others have sent, and checks every new state: the next level."""
        self.shard.drain()
        self.take_level()
        self.shard.work(self.shard.core.code[levels.survey_level])
        for chunk in self.shard.frontier_chunks():
            self._count(chunk)
        if self.runs is not None:
            for chunk in self.shard.chunks(self.number):
                self._check(chunk)
                self._count(chunk)
                self.shard.pool.give(chunk)

    def _check(self, chunk: Chunk) -> None:
        self.kernel.check(chunk.address, chunk.capacity, 0, chunk.count, self.context.address)
        if self.sampler is not None:
            at, columns = self.sampler.address, chunk.address
            sample = self.shard.core.code[sampling.sample]
            sample(at, columns, chunk.capacity, 0, chunk.count, self.number)
        if self.survey.going:
            self.totals.states(chunk.address, chunk.capacity, chunk.count)

    def _count(self, chunk: Chunk) -> None:
        if self.survey.censuses:
            census = self.survey.censuses[self.shard.number]
            census.take(chunk.address, chunk.capacity, chunk.count)

    def take_in_while(self, waiting: Callable[[], bool]) -> None:
        """Takes in what the others send while it waits for them, or memory would fill up.

        All do, whether they have more to send or not. So none waits for ever.
        """
        while waiting():
            self.shard.drain()
            time.sleep(NAP)


class Crew:
    """All workers of a search. Each counts what the `survey` wants, while that goes on."""

    def __init__(
        self,
        kernel: Kernel,
        workers: int,
        memory: Memory,
        survey: Survey,
        store: Store | None = None,
        fingerprints: bool = False,
        states: int = 0,
    ) -> None:
        """`states` is how many there are, if that is known.

        `store` is where states go that the tables have no room for, if there is one.

        With `fingerprints`, the tables hold those, and there are no paths to be found.
        """
        self.kernel = kernel
        self.memory = memory
        self._stopped = ""
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
        )
        if store is not None:
            from specmodel.engines.native.stores.cold import Cold  # most searches have none
            from specmodel.engines.native.stores.run import Hashes

            for shard in shards:
                shard.cold = Cold(shard, Hashes(shard.number, workers), layout, store)
        self.survey = survey
        self._shared = shards[0].shared
        self.workers = [
            Worker(kernel, shard, context, survey, totals)
            for shard, context, totals in zip(shards, contexts, survey.totals, strict=True)
        ]
        self._team = Team(workers)
        self._failed = False
        # Where Python has a part in each level, or workers had better sleep than look.
        crowded = workers > processors()
        self._by_level = store is not None or bool(survey.censuses) or crowded

    def close(self) -> None:
        """Ends the threads and gives the states' memory back. There is none before work begins."""
        self._team.close()
        for worker in self.workers:
            worker.shard.close()
        self.workers[0].shard.pool.close()  # all have the same

    @property
    def stopped(self) -> str:
        """Why the search is to end; empty while it is not."""
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
    def frontier(self) -> int:
        """States found but not expanded yet."""
        return self._shared.left + sum(worker.in_runs for worker in self.workers)

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
        """States that were expanded by fewer steps than can happen there."""
        return sum(w.context.array[w.context.layout.fewer] for w in self.workers)

    def sample(self, states: int) -> list[Sampler]:
        """Has a sample of so many states be drawn of all that are found from now on."""
        samplers = [Sampler(self.kernel.program.layout.words, states) for _ in self.workers]
        for worker, sampler in zip(self.workers, samplers, strict=True):
            worker.sampler = sampler
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
        for worker in self.workers:
            worker.look()
        self.workers[0].shard.seed(states)
        self.workers[0].shard.flush()
        if len(states) >= FEW:
            self.each(Worker.receive)
        else:
            for worker in self.workers:
                worker.receive()

    def advance(self, level: int, levels: int = 1, states: int = ALL) -> list[int]:
        """Expands a level (0: the initial states) unless told to stop, and checks the next.

        It may go on so, for so many levels at most and while fewer than so many states are found.
        Gives how many states each of the levels has that were reached, the last of which may lack
        some if `stopped` says so: all levels before it are finished.
        """
        before = self.distinct
        try:
            for worker in self.workers:
                worker.shard.mark(level + 1)
                worker.context.array[worker.context.layout.level] = level
                worker.look()
            if self._by_level:
                return self._advance_one()
            last = self.workers[0].shard.last_level
            self._shared.begin(min(levels, last - level), states, before, self.survey.going)
            self._together(self._search)
            return self._shared.sizes
        except LevelLimit:
            self.stopped = "max-depth"
            for worker in self.workers:
                worker.in_runs = 0  # there is no level after this one
                worker.shard.take_level()
            return [0]
        except (MemoryLimit, MemoryError, DiskFull) as full:
            self.stopped = "disk-full" if isinstance(full, DiskFull) else "max-memory"
            for worker in self.workers:
                worker.shard.abandon()
            return self._unfinished(before)

    def _unfinished(self, before: int) -> list[int]:
        """The states of the levels that were reached, the last of which could not be finished.

        There were so many states before them.
        """
        finished = [] if self._by_level else self._shared.sizes
        found = self.distinct - before - sum(finished)
        # With runs it is not settled which of the last level's states are new.
        settled = all(worker.shard.active_cold is None for worker in self.workers)
        return [*finished, found if settled else max(1, found)]

    def _search(self, worker: Worker) -> None:
        """What one worker does of that, beside all others."""
        try:
            worker.shard.work(worker.shard.core.code[levels.search])
        except BaseException:
            self._shared.stop(failed=True)
            raise

    def _advance_one(self) -> list[int]:
        """The same, for a single level, of which a part is for Python to do."""
        if self.frontier >= FEW:
            self._together(self._advance)
        else:
            for worker in self.workers:
                worker.expand(self._whether_to_stop, alone=True)
            for worker in self.workers:
                worker.receive()
        return [self.frontier]

    def _advance(self, worker: Worker) -> None:
        """What one worker does of that, beside all others."""
        try:
            worker.expand(self._whether_to_stop)
        except BaseException:
            self._failed, self.stopped = True, self.stopped or "failed"  # so that others end soon
            raise
        finally:
            number = self._team.come()
        worker.take_in_while(lambda: not self._team.all_come(number))
        if not self._failed:
            worker.receive()

    def _whether_to_stop(self) -> str:
        return self.stopped

    def each(self, task: Callable[[Worker], T]) -> list[T]:
        """What a task that needs no other worker gives for each, side by side.

        Raises what it raises for any of them.
        """
        return self._team.run_apart(lambda number: task(self.workers[number]))

    def _together(self, task: Callable[[Worker], None]) -> None:
        """Has all workers do what needs them all at once. Raises NoThreads, and likewise."""
        self._team.run(lambda number: task(self.workers[number]))

    def restore_counters(self, counters: Sequence[int]) -> None:
        """Counts from here: what `fired` and `fewer` gave in the run that this one goes on with."""
        *fired, fewer = counters
        context = self.workers[0].context
        context.restore_fired(fired)
        context.array[context.layout.fewer] = fewer

    # What was found

    def findings(self) -> dict[int, Finding]:
        """The least finding of each record since they were last asked for, over all workers."""
        found = [worker.context.findings() for worker in self.workers]
        for worker, noted in zip(self.workers, found, strict=True):
            for record in noted:
                worker.context.forget(record)
        return least(found)

    def ignore(self, record: int) -> None:
        """Looks for something no longer."""
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
        sources = self._team.run_apart(
            lambda number: self.workers[number].shard.predecessor(
                words, level, self._scratch[number].address
            )
        )
        found = [state for state in sources if state is not None]
        if not found:
            raise AssertionError("a state has no predecessor in the level before it")
        return min(found)
