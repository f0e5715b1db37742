"""A shard of the visited states, with the new states it finds: the Python side of the search core.

One thread at a time uses a shard. Shards exchange states only through stacks of whole chunks: each
has an inbox for the states from others, and a frontier of states for all to expand. The order in
which states arrive only affects the order of states within a level.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from specmodel.engines.native.loop import fields, frontier, levels, sending, sources, steps
from specmodel.engines.native.loop.chunks import Chunk, ChunkPool, Stack, size_of
from specmodel.engines.native.loop.core import Core, Functions, bucket_rows
from specmodel.engines.native.loop.fields import Route, ShardWords
from specmodel.engines.native.loop.memory import HUGE_PAGE, Region
from specmodel.engines.native.loop.shared import SharedMemory
from specmodel.engines.native.loop.sizes import LOAD, Sizes
from specmodel.engines.native.loop.tags import tag_of
from specmodel.errors import MemoryLimit
from specmodel.machine.language import MASK, address, signed
from specmodel.machine.words import LANES, WORD, aligned_words

if TYPE_CHECKING:
    from specmodel.engines.native.stores.cold import Cold

Step = Callable[[int], int]
"""A step of the shard at an address; returns its result code."""

NAP = 0.0001
"""Seconds that a worker sleeps after it has waited in vain for other workers."""

CROWD = 64
"""The number of chunks in one shard's inbox above which other workers wait."""

CROWD_SHARE = 0.1
"""The share of the memory limit that the chunks in all inboxes may take before workers wait."""

SLICES = 64
"""Parts in which a table is moved to a larger one. Each part is released once it is moved."""


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
        region: Callable[[int, int | None], Region] | None = None,
    ) -> None:
        """`region` provides the memory of its tables: `Memory.region`, unless given."""
        self.number = number
        self.core = core
        self.pool = pool
        self.memory = pool.memory
        self._region = region or pool.memory.region
        self.tag_shift = tag_shift
        self._sizes = sizes
        self.inbox, self.frontier = Stack(pool), Stack(pool)
        # Machine code knows these structs of all shards by their addresses: they are kept alive.
        self._inboxes: list[Stack] = []
        self._frontiers: list[Stack] = []
        self.shared = SharedMemory()
        self.struct = ShardWords.new()
        self.address = address(self.struct)
        self._routes = aligned_words(Route.words * max(shards, number + 1))
        self._to, self._from = aligned_words(shards + 1), aligned_words(shards + 1)
        self._to[number], self._from[number] = self.inbox.address, self.frontier.address
        self._paused: Step | None = None
        self._unread: Iterator[Chunk] = iter(())
        self.cold: Cold | None = None
        words, stride = core.words, -(-sizes.batch // LANES) * LANES + LANES
        self._row = core.row_words * WORD
        size = (2 * words * stride + stride + fields.AHEAD + (LANES + 2) * words) * WORD
        size += 2 * fields.BLOCK * WORD
        self._buffers = self.memory.region(size)
        least = max(sizes.slots, 2 * bucket_rows(core.row_words)) * self._row
        self._table = self._region(least, None)
        c, out = self.struct, self._buffers.address
        c.shards, c.own = shards, number
        c.state_mask = (1 << tag_shift) - 1
        c.context = context
        c.chunk = pool.capacity
        c.out, c.out_limit, c.stride = out, sizes.batch, stride
        c.stage = out + words * stride * WORD
        c.hashes = c.stage + words * stride * WORD
        c.single = c.hashes + (stride + fields.AHEAD) * WORD
        c.target = c.single + LANES * words * WORD
        c.best = c.target + words * WORD
        c.scratch = c.best + words * WORD
        c.pool, c.fresh = pool.free.address, pool.take().address
        c.inboxes = ctypes.addressof(self._to)
        c.frontiers = ctypes.addressof(self._from)
        c.tag_step = signed(1 << tag_shift)
        c.routes = ctypes.addressof(self._routes)
        own = self._route(number)
        own.columns, own.stride = c.stage, stride
        self._set_table()
        self.use(kernel)
        self.mark(0)

    def connect(self, inboxes: Sequence[Stack]) -> None:
        """Connects it with the inboxes of all shards, its own included. Raises MemoryLimit.

        A shard whose number is the number of shards owns no states: it sends all to the others.

        It keeps no reference to the shards, so they are freed as soon as nobody uses them.
        """
        self._inboxes = list(inboxes)
        self._to[: len(inboxes)] = [inbox.address for inbox in inboxes]
        for number in range(len(inboxes)):
            if number != self.number:
                route, outbox = self._route(number), self.pool.take()
                route.columns, route.count, route.stride = outbox.address, 0, outbox.capacity

    def join(self, shared: SharedMemory, frontiers: Sequence[Stack], looks: int) -> None:
        """Makes it search with others, reading shared words `looks` times before it sleeps."""
        self.shared, self._frontiers = shared, list(frontiers)
        self._from[: len(frontiers)] = [each.address for each in frontiers]
        self.struct.level, self.struct.looks = shared.address, looks

    def watch(self, records: range, totals: int, profile: int) -> None:
        """Tells its context where records and counters (`Totals`, `ProfileCounts`, or 0) are."""
        c = self.struct
        c.records, c.records_end = records.start, records.stop
        c.totals, c.profile = totals, profile

    def spill(self, cold: Cold) -> None:
        """From now on, moves states to sorted runs when its table is full."""
        self.cold, limit, crowd = cold, self.memory.limit, CROWD
        if limit is not None:
            chunks = limit * CROWD_SHARE / size_of(self.core.words, self.pool.capacity)
            crowd = min(CROWD, max(1, int(chunks / self.struct.shards)))
        self.struct.crowd = crowd

    def sample(self, sampler: int, level: int) -> None:
        """Offers the states that it finds to the sampler at an address.

        The shard keeps the word at the other address at the level that is expanded.
        """
        self.struct.sample, self.struct.level_at = sampler, level

    # Its states

    @property
    def distinct(self) -> int:
        """The states it has found; with sorted runs, those that are known to be new."""
        cold = self.active_cold
        return self.rows if cold is None else cold.states

    @property
    def active_cold(self) -> Cold | None:
        """Its sorted runs, if they hold states."""
        return self.cold if self.cold is not None and self.cold.active else None

    @property
    def rows(self) -> int:
        """States in the table."""
        return self.struct.used

    @property
    def buckets(self) -> int:
        """Buckets of the table."""
        return self.struct.buckets

    @property
    def generated(self) -> int:
        """States this shard has generated: successors before constraints, and initial states."""
        return self.struct.generated

    @property
    def slots(self) -> int:
        """The capacity of the table."""
        return self.struct.capacity

    def states(self, level: int) -> Iterator[tuple[int, ...]]:
        """The states of a level, in no order; use the shard for nothing else meanwhile."""
        words, stride = self.core.words, self.struct.stride
        for stage, count in self.batches(level):
            columns = [stage[w * stride : w * stride + count] for w in range(words)]
            yield from zip(*columns, strict=True)

    def batches(self, level: int) -> Iterator[tuple[ctypes.Array[ctypes.c_uint64], int]]:
        """The same in columns: batches with their number, each valid until the next."""
        self._refuse_paused()
        c, size = self.struct, self.core.words * self.struct.stride
        stage = (ctypes.c_uint64 * size).from_address(c.stage)
        for count in self.gathered(level, c.out_limit):
            yield stage, count

    def gathered(self, level: int, most: int) -> Iterator[int]:
        """The same: brings up to `most` states at a time to the stage, and yields their number."""
        c, gather = self.struct, self.core.code[sources.gather]
        for _ in self.scans(level, level):
            while c.scan_at < c.scan_end:
                yield gather(self.address, c.stage, c.stride, most)

    def chunks(self, level: int) -> Iterator[Chunk]:
        """The same in chunks, which the caller returns to the pool. Raises MemoryLimit."""
        gather = self.core.code[sources.gather]
        for _ in self.scans(level, level):
            while self.struct.scan_at < self.struct.scan_end:
                chunk = self.pool.take()
                capacity = chunk.capacity
                chunk.count = gather(self.address, chunk.address, capacity, capacity)
                yield chunk

    def packed(self, low: int, high: int) -> Iterator[memoryview]:
        """The rows of states of some levels, with their tags. Each is valid until the next one."""
        block = ctypes.create_string_buffer(self.pool.capacity * self._row)
        take, at = self.core.code[sources.take_rows], ctypes.addressof(block)
        for _ in self.scans(low, high):
            while self.struct.scan_at < self.struct.scan_end:
                count = take(self.address, low, high, at, self.pool.capacity)
                yield memoryview(block).cast("B")[: count * self._row]

    # Searching

    def use(self, kernel: Functions) -> None:
        """Expands with this kernel from now on, for example a faster one for the same model."""
        if kernel.bindings * LANES > self.struct.out_limit:
            raise ValueError(f"this shard's batches are too small for {kernel.bindings} bindings")
        self.kernel = kernel
        c = self.struct
        c.expand, c.keep, c.canon = kernel.expand, kernel.keep, kernel.canon
        c.check = kernel.check

    def mark(self, level: int) -> None:
        """Sets the level at which states are found from now on. Raises LevelLimit."""
        self.struct.tag = tag_of(level, self.tag_shift)

    def seed(self, states: Iterable[tuple[int, ...]]) -> bool:
        """Offers initial states of any shard; they go through constraints and canonical form.

        False: the kernel set its status, and not all states are inserted. Raises MemoryLimit; then
        not all are inserted either.
        """
        c, chunk, rest = self.struct, self.pool.take(), iter(states)
        c.expand = self.core.code.address(steps.copy_states)
        try:
            while some := list(islice(rest, chunk.capacity)):
                chunk.fill(some)
                if not self.expand(chunk):
                    return False
            return True
        finally:
            self.abandon()
            c.expand = self.kernel.expand
            self.pool.give(chunk)

    def expand(self, chunk: Chunk) -> bool:
        """Finds the successors of a chunk's states; inserts its own, sends the others away.

        False: the kernel set its status; clear the status and call `resume`. Raises MemoryLimit,
        after which `resume` continues.
        """
        self._refuse_paused()
        c = self.struct
        c.in_columns, c.in_at, c.in_end = chunk.address, 0, chunk.count
        return self._run(self.core.code[steps.expand_chunk])

    def resume(self) -> bool:
        """Continues the step that was stopped. Ends as that step would have ended."""
        return self._paused is None or self._run(self._paused)

    def reserve(self, states: int) -> None:
        """Makes room for this number of states in the table at once. Raises MemoryLimit.

        States that come in the order of their hashes, or nearly so, need this: in a table that has
        room for only a part of them, they would all belong into the same few buckets.
        """
        slots = int(states / LOAD) + bucket_rows(self.core.row_words) + 1
        if not self.has_room(states) and self._may_grow(slots):
            self._grow(slots)

    def has_room(self, states: int) -> bool:
        """Whether the table has room for this number of further states."""
        return states <= self.struct.most - self.struct.used

    def work(self, step: Step) -> None:
        """Runs a step to its end, growing the table and taking chunks. Raises MemoryLimit."""
        self._refuse_paused()
        self._run(step)

    def use_table(self, table: Region | None, rows: int) -> None:
        """Uses another table with this number of states, or its own again (None)."""
        self._refuse_paused()
        if table is not None:
            self.memory.returned(self._table.size)
            self._table.close()
            self._table = table
        self.struct.used = rows
        self._set_table()

    def abandon(self) -> None:
        """Drops the rest of the step that was stopped, so that the table can be read."""
        c = self.struct
        c.in_at, c.batch_at = c.in_end, c.batch_end
        c.input = 0
        self._paused = None

    def drain(self) -> None:
        """Inserts all received states. Raises MemoryLimit, after which `resume` continues."""
        self.work(self.core.code[levels.drain])

    def flush(self) -> None:
        """Sends all outboxes. Raises MemoryLimit, after which `resume` continues."""
        self.work(self.core.code[sending.flush])

    def close(self) -> None:
        """Releases the memory of its states. The shard must not be used any more."""
        if self.cold is not None:
            self.cold.close()
            self.cold = None
        self._buffers.close()
        self._table.close()
        self.memory.returned(self._table.size)

    @property
    def level(self) -> int:
        """The level at which states are found now."""
        return ((self.struct.tag & MASK) >> self.tag_shift) - 1

    @property
    def last_level(self) -> int:
        """The greatest level that a tag can hold."""
        return (1 << 64 - self.tag_shift) - 2

    def empty_table(self) -> None:
        """Drops all states from the table, and the fresh ones: they are in a sorted run."""
        c = self.struct
        ctypes.memset(self._table.address, 0, self._table.size)
        c.used = c.fresh_count = c.checked = 0
        c.in_runs = 1  # and so will all states be that are found from now on
        for chunk in self._take_filled():
            self.pool.give(chunk)

    def take_fresh(self) -> list[Chunk]:
        """The states inserted since the last call; the caller returns the chunks to the pool."""
        if self.struct.fresh_count:
            self.work(self.core.code[sending.begin_fresh])
        return self._take_filled()

    def receive(self) -> None:
        """Inserts the received states, and checks the new states, which are its next frontier."""
        self.drain()
        self.struct.phase = levels.SETTLING
        self.work(self.core.code[levels.settle])
        self.struct.phase = levels.EXPANDING

    def drop_level(self) -> None:
        """Makes the states inserted since then, except those in sorted runs, its frontier."""
        self.work(self.core.code[frontier.take_level])

    def take_level(self) -> None:
        """Makes the states inserted since then its frontier, which replaces the old one."""
        self.drop_level()
        if self.active_cold is not None:
            self._take_runs(self.active_cold)

    # Internals

    def _route(self, number: int) -> Route:
        """The place of states for a shard."""
        return Route(self.struct.routes + number * Route.words * WORD)

    def _refuse_paused(self) -> None:
        if self._paused is not None:
            raise RuntimeError("resume what was stopped before anything else")

    def _run(self, step: Step) -> bool:
        self._paused = step
        while True:
            status = step(self.address)
            if status in (fields.DONE, fields.ENDED):
                self._paused = None
                return True
            if status == fields.NO_CHUNK:
                self._add_chunk()
            elif status == fields.FRESH_FULL:
                if self.core.code[sending.begin_fresh](self.address) == fields.NO_CHUNK:
                    self._add_chunk()
            elif status == fields.TABLE_FULL:
                self._make_room()
            elif status == fields.WAITING:
                time.sleep(NAP)
            elif status == fields.UNSETTLED:
                self._settle()
            elif status == fields.MORE_IN_RUNS:
                self._read_on()
            elif status == fields.KERNEL:
                return False
            else:
                raise RuntimeError("a kernel did not expand a block of states that had room")

    def _take_filled(self) -> list[Chunk]:
        """Takes the chunks that are filled with fresh states."""
        chunks = list(self.pool.linked(self.struct.filled))
        self.struct.filled = 0
        return chunks

    def _add_chunk(self) -> None:
        """Adds a chunk: a new one, or a fresh one, whose states move to a sorted run."""
        try:
            self.pool.add()
        except MemoryLimit:
            if self.cold is None or not self.struct.filled:
                raise
            self.cold.evict(self.level)

    def _make_room(self) -> None:
        """Makes room in the table: makes it larger, or moves its states to a sorted run."""
        if self._may_grow(self._larger()):
            try:
                self._grow()
                return
            except MemoryLimit:
                if self.cold is None:
                    raise
        assert self.cold is not None
        self.cold.evict(self.level)

    def _settle(self) -> None:
        """Decides which candidates are new states of the level, and checks these."""
        assert self.cold is not None
        look = self.core.code[levels.look_at]
        self._take_runs(self.cold)
        for chunk in self.chunks(self.level):
            look(self.address, chunk.address)
            self.pool.give(chunk)

    def _take_runs(self, cold: Cold) -> None:
        """Makes the new states of the level that are in sorted runs a part of its frontier."""
        self.core.code[frontier.add_unread](self.address, cold.end_level(self.level))
        self._unread = self.chunks(self.level)

    def _read_on(self) -> None:
        """Reads the next states of the level from sorted runs."""
        chunk = next(self._unread)
        if chunk.count:
            self.core.code[frontier.offer](self.address, chunk.address)
        else:
            self.pool.give(chunk)

    def _may_grow(self, slots: int) -> bool:
        size = slots * self._row
        return self.cold is None or self.cold.may_grow(size, size - self._table.size)

    def _larger(self) -> int:
        """The slots of the next larger table."""
        times = self._sizes.growth(self._table.size)
        return int(self.slots * (times if self.cold is None else min(times, 2)))

    def scans(self, low: int, high: int) -> Iterator[None]:
        """Makes the core scan the rows of the table, or of sorted runs with states of some levels.

        Meanwhile, the shard must not be used for anything except what the core asks Python for.
        """
        c, cold = self.struct, self.active_cold
        table = [(self._table.address, self.slots)]
        for rows, count in table if cold is None else cold.blocks(low, high):
            c.scan, c.scan_at, c.scan_end = rows, 0, count
            c.scan_tag = tag_of(high, self.tag_shift)
            yield

    def _set_table(self) -> None:
        c, rows = self.struct, bucket_rows(self.core.row_words)
        buckets = self._table.size // self._row // (2 * rows) * 2
        slots = buckets * rows
        c.table, c.capacity, c.buckets = self._table.address, slots, buckets
        c.most = min(int(slots * LOAD), slots - 1)

    def _grow(self, least: int = 0) -> None:
        """Moves to a larger table, releasing the old one as it is read: never are both whole."""
        old, slots = self._table, self.slots
        more = max(least, self._larger())
        slice_size = min(slots, max(-(-slots // SLICES), HUGE_PAGE // self._row))
        spare = slice_size * self._row
        self._table = self._region(more * self._row, more * self._row - old.size + spare)
        self._set_table()
        for start in range(0, slots, slice_size):
            stop = min(start + slice_size, slots)
            self.core.code[steps.rehash](self.address, old.address, start, stop)
            old.forget(stop * self._row)
        old.close()
        self.memory.returned(spare)
