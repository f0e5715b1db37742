"""The tasks that save the space of a run: they expand its levels from the log once more.

The first stage expands the states of its shard and sends each step to the shard of its target. It
also writes which of its states violate a property. The second stage looks up the targets, and
writes the steps and the states that they lead to, each with its parent. Files get their names when
they are whole, and a task that runs twice writes the same files twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from specmodel.dataclass import dataclass
from specmodel.engines.native.loop.chunks import Chunk, ChunkPool
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.numbered_steps import SUCCESSORS
from specmodel.engines.native.saving import BrokenStep, add_violations, state_rows, states_of
from specmodel.engines.spark.log import StateLog
from specmodel.engines.spark.shard_tasks import Work, held
from specmodel.engines.spark.state_numbers import ShardNumbers
from specmodel.engines.spark.step_rows import NUMBER, StepRows, own_steps, place_steps, step_rows
from specmodel.errors import DamagedRun
from specmodel.kernel.context import PROPERTY_FAILURE, Context
from specmodel.kernel.expanding import BINDING
from specmodel.kernel.truths import BITS
from specmodel.machine.words import LANES, WORD
from specmodel.space.files import NONE, SHARD_SHIFT, STATES, TRANSITIONS, VIOLATIONS, RunFiles
from specmodel.space.writing import Part
from specmodel.stores import place

CHUNK = 1 << 14
"""States that are expanded together."""

SENT = 1 << 18
"""Bytes of steps that are sent together."""

Words = NDArray[np.uint64]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Saving:
    """The settings of all tasks that save a space. `key` distinguishes the attempt from all others.

    `log` is the key of the run's log, which has `levels` levels. The first `expanded` of them have
    steps, which leave the space only if it is `bounded` by constraints. `deadlock` is the number of
    that property, None if it is not checked. Without `judged`, the tasks do not write which states
    violate an invariant.
    """

    key: str
    work: Work
    log: str
    space: str
    levels: int
    expanded: int
    deadlock: int | None
    broken: tuple[BrokenStep, ...]
    judged: bool
    bounded: bool


@dataclass(frozen=True)
class Steps:
    """Steps out of a level's states of one shard, as rows (`step_rows`)."""

    level: int
    shard: int
    rows: bytes


@dataclass
class Written:
    """The report of a task on a shard's states of a level: steps by binding, states by property."""

    level: int
    fired: list[int] = field(default_factory=list[int])
    violations: dict[int, int] = field(default_factory=dict[int, int])
    failed: bool = False
    """Whether a property fails in one of them."""


Item = Steps | Written


class _SavingProcess:
    """The data of a process that saves the space of a run."""

    def __init__(self, saving: Saving) -> None:
        work = saving.work
        self.kernel = work.sent_design.value.graph_kernel(saving.judged)
        names = work.sent_design.value.rules
        self.invariants = [names.index(predicate.of) for predicate in self.kernel.wanted]
        self.words = self.kernel.program.layout.words
        self.rows: StepRows = step_rows(self.words)
        self.log = StateLog(place(work.run), self.words)
        self.files = RunFiles(place(saving.space))
        self.pool = ChunkPool(Memory(), self.words, CHUNK)
        self.numbers: dict[int, ShardNumbers] = {}

    def numbers_of(self, shard: int, saving: Saving) -> ShardNumbers:
        """The numbers of a shard's states; the table does not exist before it is opened."""
        if shard not in self.numbers:
            work = saving.work
            folder = work.folder / f"numbers-{saving.log}"
            self.numbers[shard] = ShardNumbers(
                shard, work.shards, saving.levels, self.log, self.rows, folder
            )
        return self.numbers[shard]


def _process(saving: Saving) -> _SavingProcess:
    return held(saving.key, lambda: _SavingProcess(saving))


@dataclass(frozen=True)
class SendSteps:
    """Expands the states of some levels, and writes which of them violate a property."""

    saving: Saving
    first: int
    stop: int

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        expander = _StepSender(_process(self.saving), self.saving, shard)
        for level in range(self.first, self.stop):
            yield from expander.level(level)


@dataclass(frozen=True)
class WriteSpace:
    """Writes the steps out of some levels to states of its shard, and these states."""

    saving: Saving
    first: int
    stop: int

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        process = _process(self.saving)
        levels = range(self.first, min(self.stop, self.saving.expanded))
        arriving = {level: _Arriving(process, self.saving, shard, level) for level in levels}
        with ExitStack() as opened:
            for arrived in arriving.values():
                opened.enter_context(arrived.part)
            for item in items:
                if isinstance(item, Steps):
                    arriving[item.level].take(item)
                else:
                    yield shard, item
        if self.first == 0:
            _write_states(process, process.numbers_of(shard, self.saving), 0, None)
        for arrived in arriving.values():
            arrived.write_states()


class _StepSender:
    """Expands states of one shard."""

    def __init__(self, process: _SavingProcess, saving: Saving, shard: int) -> None:
        self.process, self.saving, self.shard = process, saving, shard
        kernel, shards = process.kernel, saving.work.shards
        self.room = max(SUCCESSORS, 4 * LANES * kernel.bindings)
        self.stride = self.room + LANES
        self.out = np.empty((process.words + 1, self.stride), np.uint64)
        self.labels = np.empty((kernel.label_words, process.pool.capacity), np.uint64)
        self.owners = np.empty(self.room, np.int64)
        self.counts = np.zeros(shards, np.int64)
        self.rows = np.empty(self.room * process.rows.row, np.uint64)
        self.waiting = [list[bytes]() for _ in range(shards)]
        self.sizes = [0] * shards

    def level(self, level: int) -> Iterator[tuple[int, Item]]:
        """The steps out of the shard's states of a level, and the report of them."""
        process, saving = self.process, self.saving
        expanded = level < saving.expanded
        written = Written(level)
        fired = np.zeros(process.kernel.bindings, np.int64)
        number = process.numbers_of(self.shard, saving).starts[level]
        context = process.kernel.context()
        with Part(process.files.part(VIOLATIONS, level, self.shard)) as violations:
            for chunk in process.log.read(level, self.shard, process.pool):
                degrees = None
                if expanded:
                    degrees = np.zeros(chunk.count, np.int64)
                    yield from self._expanded(chunk, level, number, context, fired, degrees)
                found = self._broken(chunk, level, context, degrees)
                first = number + (self.shard << SHARD_SHIFT)
                add_violations(violations, first, found, written.violations)
                number += chunk.count
                process.pool.give(chunk)
        yield from self._rest(level)
        written.fired = fired.tolist()
        written.failed = context.finding(PROPERTY_FAILURE) is not None
        yield self.shard, written

    def _expanded(
        self, chunk: Chunk, level: int, number: int, context: Context, fired: Ints, degrees: Ints
    ) -> Iterator[tuple[int, Item]]:
        kernel, rows, shards = self.process.kernel, self.process.rows, self.saving.work.shards
        out = self.out.ctypes.data
        at = 0
        while at < chunk.count:
            context.count = 0
            consumed = kernel.edges(
                chunk.address,
                chunk.capacity,
                at,
                chunk.count - at,
                out,
                self.stride,
                self.room,
                context.address,
            )
            n = context.count
            if kernel.canonical is not None:
                kernel.canonical(out, self.stride, n, context.address)
            origins = self.out[self.process.words, :n]
            places = (origins & np.uint64((1 << BINDING) - 1)).astype(np.int64)
            degrees[at : at + consumed] = np.bincount(places, minlength=consumed)
            bindings = (origins >> np.uint64(BINDING)).astype(np.int64)
            fired += np.bincount(bindings, minlength=len(fired))
            self.counts[:] = 0
            owners, counts = self.owners.ctypes.data, self.counts.ctypes.data
            rows.code[own_steps](out, self.stride, n, shards, owners, counts)
            starts = np.cumsum(self.counts) - self.counts
            ends = starts.copy()
            rows.code[place_steps](
                out,
                self.stride,
                n,
                chunk.address + at * WORD,
                chunk.capacity,
                number + at,
                owners,
                ends.ctypes.data,
                self.rows.ctypes.data,
            )
            yield from self._sent(level, starts.tolist(), ends.tolist())
            at += consumed

    def _sent(
        self, level: int, starts: Sequence[int], ends: Sequence[int]
    ) -> Iterator[tuple[int, Item]]:
        """The rows between these places, for some shards."""
        words = self.process.rows.row
        for to, (start, end) in enumerate(zip(starts, ends, strict=True)):
            if end > start:
                self.waiting[to].append(self.rows[start * words : end * words].tobytes())
                self.sizes[to] += (end - start) * words * WORD
                if self.sizes[to] >= SENT:
                    yield to, self._taken(to, level)

    def _rest(self, level: int) -> Iterator[tuple[int, Item]]:
        for to, size in enumerate(self.sizes):
            if size:
                yield to, self._taken(to, level)

    def _taken(self, to: int, level: int) -> Steps:
        rows = b"".join(self.waiting[to])
        self.waiting[to], self.sizes[to] = [], 0
        return Steps(level, self.shard, rows)

    def _broken(
        self, chunk: Chunk, level: int, context: Context, degrees: Ints | None
    ) -> Iterator[tuple[int, Ints, int]]:
        """Properties, with the places in a chunk of states that violate them, and the bindings."""
        process, saving = self.process, self.saving
        if process.invariants:
            labels = self.labels.ctypes.data
            process.kernel.label(
                chunk.address, chunk.capacity, 0, chunk.count, labels, context.address
            )
        for bit, number in enumerate(process.invariants):
            column = self.labels[bit // BITS, : chunk.count]
            broken = np.flatnonzero(column >> np.uint64(bit % BITS) & np.uint64(1) == 0)
            yield number, broken, NONE
        yield from states_of(saving.broken, level, chunk.array())
        if degrees is not None and saving.deadlock is not None:
            yield saving.deadlock, np.flatnonzero(degrees == 0), NONE


class _Arriving:
    """The steps out of a level to states of one shard, as they arrive."""

    def __init__(self, process: _SavingProcess, saving: Saving, shard: int, level: int) -> None:
        self.process, self.saving, self.level = process, saving, level
        self.numbers = process.numbers_of(shard, saving)
        starts = [*self.numbers.starts, self.numbers.starts[-1]]
        self.first, self.new = starts[level + 1], starts[level + 2] - starts[level + 1]
        self.best = np.zeros((self.new, process.rows.best_row), np.uint64)
        self.part = Part(process.files.part(TRANSITIONS, level, shard))

    def take(self, steps: Steps) -> None:
        """Writes some of them. Raises OSError, DamagedRun."""
        self.numbers.open(self.process.pool)
        rows = np.frombuffer(steps.rows, np.uint64).reshape(-1, self.process.rows.row)
        targets = self.numbers.settle(rows, steps.shard, self.first, self.best)
        outside = targets < 0
        if not self.saving.bounded and outside.any():
            raise DamagedRun(
                f"the log of the run has no state for {int(outside.sum()):,} of the steps out of "
                f"level {self.level + 1}"
            )
        targets += self.numbers.base
        targets[outside] = NONE
        sources, bindings = _origins(rows[:, 2 * self.process.words], np.int64(steps.shard))
        self.part.add({"source": sources, "target": targets, "binding": bindings})

    def write_states(self) -> None:
        """Writes the states that they lead to. Raises OSError, DamagedRun."""
        if not self.best[:, -1].all():
            raise DamagedRun(
                f"no step leads to some state of level {self.level + 2} in the log of the run"
            )
        if self.new:
            _write_states(self.process, self.numbers, self.level + 1, self.best)


def _write_states(
    process: _SavingProcess, numbers: ShardNumbers, level: int, best: Words | None
) -> None:
    """Writes a shard's states of a level, with the best steps to them (None: they are initial)."""
    at, first = 0, numbers.starts[level] + numbers.base
    with Part(process.files.part(STATES, level, numbers.shard)) as part:
        for chunk in process.log.read(level, numbers.shard, process.pool):
            end = at + chunk.count
            words = chunk.array().copy()
            parents = np.full(chunk.count, NONE, np.int64)
            bindings = np.full(chunk.count, NONE, np.int32)
            if best is not None:
                shards = best[at:end, -1].astype(np.int64) - 1
                parents, bindings = _origins(best[at:end, process.words], shards)
            part.add(state_rows(first + at, words, parents, bindings))
            at = end
            process.pool.give(chunk)


def _origins(origins: Words, shards: Ints | np.int64) -> tuple[Ints, NDArray[np.int32]]:
    """The ids and the bindings of steps, by their origins and the shards that these are in."""
    numbers = (origins & np.uint64((1 << NUMBER) - 1)).astype(np.int64)
    return numbers + (shards << SHARD_SHIFT), (origins >> np.uint64(NUMBER)).astype(np.int32)
