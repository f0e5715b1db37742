"""The parts that a process needs to work on the states of a design: its kernel, memory, and the
outboxes that send states to their shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from specmodel.dataclass import dataclass
from specmodel.engines.native.loop import sampling
from specmodel.engines.native.loop.chunks import Chunk, ChunkPool, Stack
from specmodel.engines.native.loop.core import Functions, bucket_rows, load_core
from specmodel.engines.native.loop.memory import Memory, Region
from specmodel.engines.native.loop.sampling import Rows, Sampler
from specmodel.engines.native.loop.sizes import Sizes
from specmodel.engines.native.predecessors import least_source
from specmodel.engines.native.shard import Shard
from specmodel.kernel.context import DEADLOCK, NotedState
from specmodel.kernel.kernel import Kernel

Words = tuple[int, ...]

Regions = Callable[[int, int | None], Region]

FIRST_TABLE = 1 << 16
"""Bytes of a shard's first table."""


@dataclass
class Expansion:
    """The counts and findings of an expansion of states."""

    fired: list[int] = field(default_factory=list[int])
    fewer: int = 0
    found: dict[int, NotedState] = field(default_factory=dict[int, NotedState])


class Expander:
    """Expands states for one kernel and number of shards (2 or more). One thread uses it."""

    def __init__(self, kernel: Kernel, shards: int, deadlock: bool) -> None:
        if shards < 2:
            raise ValueError("states are sent between two shards or more")
        self.kernel = kernel
        self.shards = shards
        self.deadlock = deadlock
        self.layout = kernel.program.layout
        self._memory = Memory()
        self._functions = Functions(
            kernel.expand_address, kernel.bindings, kernel.keep_address, kernel.canonical_address
        )
        self._sizes = Sizes().for_bindings(kernel.bindings)
        self._core = load_core(self.layout.words)
        self.pool = ChunkPool(self._memory, self.layout.words, self._sizes.chunk)
        self._context = kernel.context()
        self._sender = self._shard(shards, self._context.address, None)
        self._inboxes = [Stack(self.pool) for _ in range(shards)]
        self._sender.connect(self._inboxes)
        rows = bucket_rows(self._core.row_words)
        row = self._core.row_words * 8
        self.empty_table = -(-FIRST_TABLE // (row * rows)) * row * rows

    def shard(self, number: int, region: Regions) -> Shard:
        """An empty shard, whose `region` provides the memory of its tables. Raises OSError."""
        return self._shard(number, 0, region)

    def packed(self, states: Iterable[Words]) -> Iterator[tuple[int, bytes]]:
        """Initial states as they are sent: each shard with its states.

        Adds counts and findings as `expand` does.
        """
        self._open(())
        self._sender.seed(states)
        self._sender.flush()
        yield from self._sent()

    def expand(
        self, chunks: Iterable[Chunk], ignored: Sequence[int], seen: Expansion
    ) -> Iterator[tuple[int, bytes]]:
        """The successors of states, in batches, with their shards.

        Adds counts and findings to `seen`, except `ignored` findings. Returns chunks to the pool.
        """
        self._open(ignored)
        for chunk in chunks:
            self._sender.expand(chunk)
            self.pool.give(chunk)
            yield from self._sent()
        self._sender.flush()
        yield from self._sent()
        self.noted(seen)

    def noted(self, seen: Expansion) -> None:
        """Adds the findings since `expand` or `packed` began."""
        context = self._context
        seen.fired = context.fired()
        seen.fewer = context.array[context.layout.fewer]
        seen.found = context.findings()

    def check(self, chunks: Iterable[Chunk], ignored: Sequence[int]) -> dict[int, NotedState]:
        """The findings of the properties in states."""
        context = self.kernel.context()
        for record in ignored:
            context.want(record, False)
        for chunk in chunks:
            self.kernel.check(chunk.address, chunk.capacity, 0, chunk.count, context.address)
        return context.findings()

    def sampled(self, chunks: Iterable[Chunk], level: int, states: int) -> Rows:
        """A sample of the new states of a level, for a sample of `states` states of all levels."""
        sampler = Sampler(self.layout.words, states)
        for chunk in chunks:
            at, columns = sampler.address, chunk.address
            self._core.code[sampling.sample](at, columns, chunk.capacity, 0, chunk.count, level)
        return sampler.rows(range(level, level + 1))

    def counted(self, chunks: Iterable[Chunk]) -> list[int]:
        """How often states reach each coverage point of properties: `Totals.read`."""
        totals = self.kernel.counter.totals()
        for chunk in chunks:
            totals.states(chunk.address, chunk.capacity, chunk.count)
        return totals.read()

    def least_source(self, target: Words, chunks: Iterable[Chunk]) -> Words | None:
        """The least of some states that has another as a successor. Returns chunks to the pool."""
        self._open(())
        return least_source(self._sender, target, chunks, self._context.address)

    def _open(self, ignored: Sequence[int]) -> None:
        context = self._context
        context.clear()
        for record in range(context.layout.records):
            wanted = record not in ignored and (record != DEADLOCK or self.deadlock)
            context.want(record, wanted)

    def _sent(self) -> Iterator[tuple[int, bytes]]:
        for number, inbox in enumerate(self._inboxes):
            while chunk := inbox.pop():
                yield number, chunk.pack()
                self.pool.give(chunk)

    def _shard(self, number: int, context: int, region: Regions | None) -> Shard:
        return Shard(
            number,
            self.shards,
            self._core,
            self._functions,
            context,
            self.layout.tag_shift,
            self.pool,
            self._sizes,
            region,
        )
