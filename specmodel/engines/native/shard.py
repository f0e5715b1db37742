"""A shard of the visited states, with the new states it finds: the Python side of the search core.

One thread at a time uses a shard. Shards reach each other only through stacks of whole chunks: each
has an inbox for what others send, and a frontier of states for all to expand. The order in which
things arrive changes nothing but the order of states within a level.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from specmodel.engines.native import fields, frontier, levels, sending, sources, stacks, steps
from specmodel.engines.native.chunks import Chunk, ChunkPool, Columns, Stack, aligned_words, size_of
from specmodel.engines.native.core import Core, Functions, bucket_rows
from specmodel.engines.native.machine.language import signed
from specmodel.engines.native.memory import HUGE_PAGE, LANES, WORD, MemoryLimit, Region, Tables
from specmodel.engines.native.shared import Shared
from specmodel.engines.native.sizes import LOAD, Sizes
from specmodel.engines.native.tags import tag_of

if TYPE_CHECKING:
    from specmodel.engines.native.stores.cold import Cold

Step = Callable[[int], int]
"""A step of the shard at an address; gives what it ended with."""

NAP = 0.0001
"""Seconds that a worker sleeps when it has looked in vain for what others do."""

CROWD = 64
"""Chunks that wait for one shard, at most, before others wait for it."""

CROWD_SHARE = 0.1
"""What chunks that wait for all shards may take of the limit of memory, before that."""

SLICES = 64
"""Parts in which a table is moved to a larger one, each given back once it has been moved."""


class Shard:
    """A shard: its table, its outboxes and inbox, and the fresh states of the level being built."""

    def __init__(
        self,
        number: int,
        shards: int,
        core: Core,
        kernel: Functions,
        context: int,
        tag_shift: int,
        pool: ChunkPool,
        sizes: Sizes,
        tables: Tables | None = None,
    ) -> None:
        self.number = number
        self.core = core
        self.pool = pool
        self.memory = pool.memory
        self.tables: Tables = tables or pool.memory
        self.tag_shift = tag_shift
        self._sizes = sizes
        self.inbox, self.frontier = Stack(pool), Stack(pool)
        # Those of all shards, which machine code knows by their addresses: they are kept for it.
        self._inboxes: list[Stack] = []
        self._frontiers: list[Stack] = []
        self.shared = Shared()
        self._fields, self._address = aligned_words(fields.FIELDS)
        self._routes, routes = aligned_words(fields.ROUTE * max(shards, number + 1))
        self._to, inboxes = aligned_words(shards + 1)
        self._from, frontiers = aligned_words(shards + 1)
        self._to[number], self._from[number] = self.inbox.address, self.frontier.address
        chunks = (self.memory.limit or 0) * CROWD_SHARE / size_of(core.words, pool.capacity)
        self._crowd = min(CROWD, max(1, int(chunks / shards))) if self.memory.limit else CROWD
        self._paused: Step | None = None
        self._level = 0
        self.cold: Cold | None = None
        words, stride = core.words, -(-sizes.batch // LANES) * LANES + LANES
        self._row = core.row_words * WORD
        size = (2 * words * stride + stride + fields.AHEAD + (LANES + 2) * words) * WORD
        size += 2 * fields.BLOCK * WORD
        self._buffers = self.memory.region(size)
        self._table = self.tables.region(
            max(sizes.slots, 2 * bucket_rows(core.row_words)) * self._row
        )
        c, out = self._fields, self._buffers.address
        c[fields.SHARDS], c[fields.OWN] = shards, number
        c[fields.STATE_MASK] = (1 << tag_shift) - 1
        c[fields.CONTEXT] = context
        c[fields.CHUNK] = pool.capacity
        c[fields.OUT], c[fields.OUT_LIMIT], c[fields.STRIDE] = out, sizes.batch, stride
        c[fields.STAGE] = out + words * stride * WORD
        c[fields.HASHES] = c[fields.STAGE] + words * stride * WORD
        c[fields.SINGLE] = c[fields.HASHES] + (stride + fields.AHEAD) * WORD
        c[fields.TARGET] = c[fields.SINGLE] + LANES * words * WORD
        c[fields.BEST] = c[fields.TARGET] + words * WORD
        c[fields.SCRATCH] = c[fields.BEST] + words * WORD
        c[fields.POOL], c[fields.FRESH] = pool.free.address, pool.take().address
        c[fields.INBOXES], c[fields.FRONTIERS] = inboxes, frontiers
        c[fields.TAG_STEP] = signed(1 << tag_shift)
        c[fields.ROUTES] = routes
        own = number * fields.ROUTE
        self._routes[own], self._routes[own + fields.ROUTE_STRIDE] = c[fields.STAGE], stride
        self._set_table()
        self.use(kernel)
        self.mark(0)

    def connect(self, inboxes: Sequence[Stack]) -> None:
        """Tells it where all shards, itself included, take in chunks. Raises MemoryLimit.

        One whose number is that of the shards has none of the states: it sends all to the others.

        It knows no more of them, so that shards are freed as soon as nobody uses them.
        """
        self._inboxes = list(inboxes)
        self._to[: len(inboxes)] = [inbox.address for inbox in inboxes]
        for number in range(len(inboxes)):
            if number != self.number:
                at, outbox = number * fields.ROUTE, self.pool.take()
                self._routes[at : at + fields.ROUTE] = [outbox.address, 0, outbox.capacity]

    def join(self, shared: Shared, frontiers: Sequence[Stack], looks: int) -> None:
        """Makes it one of those that search together, looking so often before they sleep."""
        self.shared, self._frontiers = shared, list(frontiers)
        self._from[: len(frontiers)] = [each.address for each in frontiers]
        self._fields[fields.LEVEL], self._fields[fields.LOOKS] = shared.address, looks

    def watch(self, records: range, survey: int) -> None:
        """Says where its context has records, and who counts (see `Totals`; 0: nobody)."""
        c = self._fields
        c[fields.RECORDS], c[fields.RECORDS_END] = records.start, records.stop
        c[fields.SURVEY] = survey

    def sample(self, sampler: int, level: int) -> None:
        """Offers the states that it finds to the sampler at an address.

        The word at the other address is the level being expanded, which it keeps up to date.
        """
        self._fields[fields.SAMPLE], self._fields[fields.LEVEL_AT] = sampler, level

    # What it has

    @property
    def distinct(self) -> int:
        """States it has found; with runs, those of which it is settled that they are new."""
        cold = self.active_cold
        return self.rows if cold is None else cold.states

    @property
    def active_cold(self) -> Cold | None:
        """Its runs, if it has states in any."""
        return self.cold if self.cold is not None and self.cold.active else None

    @property
    def rows(self) -> int:
        """States in the table."""
        return self._fields[fields.USED]

    @property
    def buckets(self) -> int:
        """Buckets of the table."""
        return self._fields[fields.BUCKETS]

    @property
    def generated(self) -> int:
        """States this shard has offered: successors before constraints, and initial states."""
        return self._fields[fields.GENERATED]

    @property
    def address(self) -> int:
        """Where its fields are, for steps of others; see `work`."""
        return self._address

    @property
    def slots(self) -> int:
        """The capacity of the table."""
        return self._fields[fields.CAPACITY]

    def states(self, level: int) -> Iterator[tuple[int, ...]]:
        """The states of a level, in no order. Nothing else may be done with the shard meanwhile."""
        words, stride = self.core.words, self._fields[fields.STRIDE]
        for stage, count in self.batches(level):
            columns = [stage[w * stride : w * stride + count] for w in range(words)]
            yield from zip(*columns, strict=True)

    def batches(self, level: int) -> Iterator[tuple[ctypes.Array[ctypes.c_uint64], int]]:
        """The same in columns, some at a time, with their number: good until the next are asked."""
        c, size = self._fields, self.core.words * self._fields[fields.STRIDE]
        stage = (ctypes.c_uint64 * size).from_address(c[fields.STAGE])
        for _ in self._scans(level, level):
            status = fields.MORE
            while status == fields.MORE:
                status = self.core.code[sources.collect](self._address)
                yield stage, c[fields.FOUND]

    def chunks(self, level: int) -> Iterator[Chunk]:
        """The same in chunks, that the caller gives back to the pool. Raises MemoryLimit."""
        gather = self.core.code[sources.gather]
        for _ in self._scans(level, level):
            while self._fields[fields.SCAN_AT] < self._fields[fields.SCAN_END]:
                chunk = self.pool.take()
                capacity = chunk.capacity
                chunk.count = gather(self._address, chunk.address, capacity, capacity)
                yield chunk

    def packed(self, low: int, high: int) -> Iterator[memoryview]:
        """The rows of states at some levels, with their tags: good until the next are asked."""
        block = ctypes.create_string_buffer(self.pool.capacity * self._row)
        take, at = self.core.code[sources.take_rows], ctypes.addressof(block)
        for _ in self._scans(low, high):
            while self._fields[fields.SCAN_AT] < self._fields[fields.SCAN_END]:
                count = take(self._address, low, high, at, self.pool.capacity)
                yield memoryview(block).cast("B")[: count * self._row]

    # Searching

    def use(self, kernel: Functions) -> None:
        """Expands with this kernel from now on, for example a faster one for the same model."""
        if kernel.bindings * LANES > self._fields[fields.OUT_LIMIT]:
            raise ValueError(f"this shard's batches are too small for {kernel.bindings} bindings")
        self.kernel = kernel
        c = self._fields
        c[fields.EXPAND], c[fields.KEEP], c[fields.CANON] = kernel.expand, kernel.keep, kernel.canon
        c[fields.CHECK] = kernel.check

    def mark(self, level: int) -> None:
        """Says at which level states are found from now on. Raises LevelLimit."""
        self._fields[fields.TAG] = tag_of(level, self.tag_shift)
        self._level = level

    def seed(self, states: Iterable[tuple[int, ...]]) -> bool:
        """Offers initial states of any shard; they go through constraints and canonical form.

        False: the kernel set its status, and not all are in. Raises MemoryLimit; then not all are
        in either.
        """
        c, chunk, rest = self._fields, self.pool.take(), iter(states)
        c[fields.EXPAND] = self.core.code.address(steps.copy_states)
        try:
            while some := list(islice(rest, chunk.capacity)):
                chunk.fill(some)
                if not self.expand(chunk):
                    return False
            return True
        finally:
            self.abandon()
            c[fields.EXPAND] = self.kernel.expand
            self.pool.give(chunk)

    def expand(self, chunk: Columns) -> bool:
        """Finds all successors of a chunk's states; inserts its own, sends the others to theirs.

        False: the kernel set its status; clear that and `resume`. Raises MemoryLimit, after which
        `resume` goes on.
        """
        return self._start(self.core.code[steps.expand_chunk], chunk)

    def resume(self) -> bool:
        """Goes on with what was stopped. Ends as that would have."""
        return self._paused is None or self._run(self._paused)

    def reserve(self, states: int) -> None:
        """Makes room for so many states in the table at once. Raises MemoryLimit.

        Needed where states come in the order of their hashes, or nearly so: in a table with room
        for a part of them only, these all belong into the same few buckets.
        """
        slots = int(states / LOAD) + bucket_rows(self.core.row_words) + 1
        if not self.has_room(states) and self._may_grow(slots):
            self._grow(slots)

    def has_room(self, states: int) -> bool:
        """Whether the table has room for so many states more."""
        return states <= self._fields[fields.MOST] - self._fields[fields.USED]

    def work(self, step: Step) -> None:
        """Runs a step to its end, growing and taking chunks as it asks for. Raises MemoryLimit."""
        if self._paused is not None:
            raise RuntimeError("resume what was stopped before starting something else")
        self._run(step)

    def use_table(self, table: Region | None, rows: int) -> None:
        """Goes on with another table, or its own (None), that has so many states in it."""
        if self._paused is not None:
            raise RuntimeError("resume what was stopped before giving it another table")
        if table is not None:
            self.memory.returned(self._table.size)
            self._table.close()
            self._table = table
        self._fields[fields.USED] = rows
        self._set_table()

    def abandon(self) -> None:
        """Drops what is left of what was stopped, so that the table can be looked into."""
        c = self._fields
        c[fields.IN_AT], c[fields.BATCH_AT] = c[fields.IN_END], c[fields.BATCH_END]
        c[fields.INPUT] = 0
        self._paused = None

    def drain(self) -> None:
        """Inserts all that has come in so far. Raises MemoryLimit, after which `resume` goes on."""
        self.work(self.core.code[levels.drain])

    def flush(self) -> None:
        """Sends off what is in the outboxes. Raises MemoryLimit, likewise."""
        self.work(self.core.code[sending.flush])

    def close(self) -> None:
        """Gives back the memory of its states. It is of no more use."""
        if self.cold is not None:
            self.cold.close()
            self.cold = None
        self._buffers.close()
        self._table.close()
        self.memory.returned(self._table.size)

    def end_level(self) -> int:
        """Settles which candidates are new states of the level; gives how many are in runs.

        Raises DiskFull.
        """
        cold = self.active_cold
        return 0 if cold is None else cold.end_level(self._level)

    @property
    def level(self) -> int:
        """The level at which states are found now, unless it searched several at once."""
        return self._level

    @property
    def last_level(self) -> int:
        """The last level that a tag can say."""
        return (1 << 64 - self.tag_shift) - 2

    def crowding(self) -> bool:
        """Whether it had better not send more just now: another, with runs, has much to take in."""
        return self.cold is not None and any(len(inbox) > self._crowd for inbox in self._inboxes)

    def empty_table(self) -> None:
        """Drops all states from the table, and the fresh ones: they are in a run."""
        c = self._fields
        ctypes.memset(self._table.address, 0, self._table.size)
        c[fields.USED] = c[fields.FRESH_COUNT] = c[fields.CHECKED] = 0
        c[fields.IN_RUNS] = 1  # and so are all that are found from now on
        for chunk in self._take_filled():
            self.pool.give(chunk)

    def take_fresh(self) -> list[Chunk]:
        """The states inserted since the last call; the caller gives the chunks back to the pool."""
        if self._fields[fields.FRESH_COUNT]:
            self.work(self.core.code[sending.begin_fresh])
        return self._take_filled()

    def take_level(self) -> None:
        """Makes the states inserted since then its frontier, instead of what is left of that."""
        self.work(self.core.code[frontier.take_level])

    def frontier_chunks(self) -> Iterator[Chunk]:
        """The states of its frontier, while nobody takes any."""
        return self.pool.linked(self.frontier.words[stacks.TOP])

    def predecessor(
        self, target: Sequence[int], level: int, context: int
    ) -> tuple[int, ...] | None:
        """The least state of a level that has `target` as a successor; None if none has.

        With a canonical form, successors are in it. States compare as unsigned words, the first
        counting most. `context` is the address of a kernel context, which is written to. Reads the
        whole table; may be called on several shards at once.
        """
        find = self.core.code[sources.find_sources]
        with self._seeking(target, context):
            for _ in self._scans(level, level):
                while find(self._address) == fields.MORE:
                    pass
        return self._found()

    def least_source(
        self, target: Sequence[int], chunks: Iterable[Chunk], context: int
    ) -> tuple[int, ...] | None:
        """The same among the states of chunks, which it gives back to the pool."""
        c, words = self._fields, self.core.words
        stride, room = c[fields.STRIDE], min(fields.BLOCK, c[fields.OUT_LIMIT])
        with self._seeking(target, context):
            for chunk in chunks:
                for at in range(0, chunk.count, room):
                    n = min(room, chunk.count - at)
                    for w in range(words):
                        place = chunk.address + (w * chunk.capacity + at) * WORD
                        ctypes.memmove(c[fields.STAGE] + w * stride * WORD, place, n * WORD)
                    if self.core.code[sources.offer_stage](self._address, n) != fields.DONE:
                        raise RuntimeError("a kernel did not expand a block that had room")
                self.pool.give(chunk)
        return self._found()

    # Inside

    @contextmanager
    def _seeking(self, target: Sequence[int], context: int) -> Generator[None]:
        """While the core looks for states that have a target as a successor, with a context."""
        c = self._fields
        (ctypes.c_uint64 * self.core.words).from_address(c[fields.TARGET])[:] = list(target)
        before, c[fields.CONTEXT], c[fields.FOUND] = c[fields.CONTEXT], context, 0
        try:
            yield
        finally:
            c[fields.CONTEXT] = before

    def _found(self) -> tuple[int, ...] | None:
        """The least state that the core has found."""
        if not self._fields[fields.FOUND]:
            return None
        best = self._fields[fields.BEST]
        return tuple((ctypes.c_uint64 * self.core.words).from_address(best))

    def _start(self, step: Step, chunk: Columns) -> bool:
        if self._paused is not None:
            raise RuntimeError("resume what was stopped before starting something else")
        c = self._fields
        c[fields.IN], c[fields.IN_AT], c[fields.IN_END] = chunk.address, 0, chunk.count
        return self._run(step)

    def _run(self, step: Step) -> bool:
        self._paused = step
        while True:
            status = step(self._address)
            if status in (fields.DONE, fields.ENDED):
                self._paused = None
                return True
            if status == fields.NO_CHUNK:
                self._add_chunk(step)
            elif status == fields.FRESH_FULL:
                if self.core.code[sending.begin_fresh](self._address) == fields.NO_CHUNK:
                    self._add_chunk(step)
            elif status == fields.TABLE_FULL:
                self._make_room()
            elif status == fields.WAITING:
                time.sleep(NAP)
            elif status == fields.KERNEL:
                return False
            else:
                raise RuntimeError("a kernel did not expand a block of states that had room")

    def _take_filled(self) -> list[Chunk]:
        """The chunks that are filled with fresh states; it has none then."""
        chunks = list(self.pool.linked(self._fields[fields.FILLED]))
        self._fields[fields.FILLED] = 0
        return chunks

    def _add_chunk(self, step: Step) -> None:
        """Gets another chunk: a new one, or those of fresh states, which go into a run."""
        try:
            self.pool.add()
        except MemoryLimit:
            # A level that is being taken is to stay where it is.
            taking = step == self.core.code[frontier.take_level]
            if self.cold is None or not self._fields[fields.FILLED] or taking:
                raise
            self.cold.evict(self._level)

    def _make_room(self) -> None:
        """Makes room in the table: a larger one, or its states go into a run."""
        if self._may_grow(self._larger()):
            try:
                self._grow()
                return
            except MemoryLimit:
                if self.cold is None:
                    raise
        assert self.cold is not None
        self.cold.evict(self._level)

    def _may_grow(self, slots: int) -> bool:
        size = slots * self._row
        return self.cold is None or self.cold.may_grow(size, size - self._table.size)

    def _larger(self) -> int:
        """The slots of the next larger table."""
        times = self._sizes.growth(self._table.size)
        return int(self.slots * (times if self.cold is None else min(times, 2)))

    def _scans(self, low: int, high: int) -> Iterator[None]:
        """Has the core scan the rows of the table, or of each run with states of some levels."""
        if self._paused is not None:
            raise RuntimeError("resume what was stopped before looking into the table")
        c, cold = self._fields, self.active_cold
        table = [(self._table.address, self.slots)]
        for rows, count in table if cold is None else cold.blocks(low, high):
            c[fields.SCAN], c[fields.SCAN_AT], c[fields.SCAN_END] = rows, 0, count
            c[fields.SCAN_TAG] = tag_of(high, self.tag_shift)
            yield

    def _set_table(self) -> None:
        c, rows = self._fields, bucket_rows(self.core.row_words)
        buckets = self._table.size // self._row // (2 * rows) * 2
        slots = buckets * rows
        c[fields.TABLE], c[fields.CAPACITY], c[fields.BUCKETS] = self._table.address, slots, buckets
        c[fields.MOST] = min(int(slots * LOAD), slots - 1)

    def _grow(self, least: int = 0) -> None:
        """Moves to a larger table, giving back the old one as it is read: never are both whole."""
        old, slots = self._table, self.slots
        more = max(least, self._larger())
        slice_size = min(slots, max(-(-slots // SLICES), HUGE_PAGE // self._row))
        spare = slice_size * self._row
        self._table = self.tables.region(more * self._row, more * self._row - old.size + spare)
        self._set_table()
        for start in range(0, slots, slice_size):
            stop = min(start + slice_size, slots)
            self.core.code[steps.rehash](self._address, old.address, start, stop)
            old.forget(stop * self._row)
        old.close()
        self.memory.returned(spare)
