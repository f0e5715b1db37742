"""The tasks on a shard: they run in a worker process.

The items that tasks exchange are packed states (bytes) and reports.
"""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from specmodel.dataclass import dataclass
from specmodel.engines.native.loop.sampling import Rows
from specmodel.engines.spark.expander import Expander, Expansion, Words
from specmodel.engines.spark.local_shard import LocalShard
from specmodel.engines.spark.log import StateLog
from specmodel.engines.spark.sent_design import SentDesign
from specmodel.kernel.context import NotedState
from specmodel.space.files import entry
from specmodel.stores import place

T = TypeVar("T")


class BroadcastDesign(Protocol):
    """The data that Spark brings to a machine once."""

    @property
    def value(self) -> SentDesign: ...


@dataclass(frozen=True)
class Work:
    """The settings of all tasks of a run.

    `key` names the run; `tables` is the folder of tables on each machine (empty: the system's
    folder for temporary files).
    """

    sent_design: BroadcastDesign
    key: str
    run: str
    shards: int
    deadlock: bool
    tables: str = ""

    @property
    def folder(self) -> Path:
        """The machine's folder for the tables of the run."""
        return Path(self.tables or tempfile.gettempdir()) / f"specmodel-tables-{self.key}"


@dataclass
class ShardReport:
    """The report of a task on a shard about a level: its new states, entries of its files for the
    record of the level, findings of the expansion that led to it.
    """

    shard: int
    level: int
    inserted: bool = False
    states: int = 0
    files: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    checked: dict[int, NotedState] = field(default_factory=dict[int, NotedState])
    counted: list[int] = field(default_factory=list[int])
    sampled: Rows = field(default_factory=Rows)
    expansion: Expansion | None = None


@dataclass
class LevelReports:
    """The reports of the tasks of a level, and of the expansion that led to it."""

    shards: list[int]
    files: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    checked: list[dict[int, NotedState]] = field(default_factory=list[dict[int, NotedState]])
    counted: list[list[int]] = field(default_factory=list[list[int]])
    sampled: list[Rows] = field(default_factory=list[Rows])
    expansions: list[Expansion] = field(default_factory=list[Expansion])

    @property
    def states(self) -> int:
        return sum(self.shards)


Item = bytes | ShardReport


class _SearchProcess:
    """The data of a process for a run."""

    def __init__(self, work: Work, expander: Expander | None = None) -> None:
        if expander is None:
            kernel = work.sent_design.value.kernel()
            expander = Expander(kernel, work.shards, work.deadlock)
        self.expander = expander
        self.log = StateLog(place(work.run), self.expander.layout.words)
        self.local_shards: dict[int, LocalShard] = {}


_held: dict[str, Any] = {}


def held(key: str, make: Callable[[], T]) -> T:
    """The data of this process for a key, made on the first call.

    The data for any other key are dropped: tables stay mapped as long as somebody refers to them.
    """
    if key not in _held:
        _held.clear()
        _held[key] = make()
        gc.freeze()  # loaded modules need not be searched for garbage after every task
    return _held[key]


def use_here(work: Work, expander: Expander) -> None:
    """Lets this process do tasks of a run with an expander that it has."""
    if work.key not in _held:
        _held[work.key] = _SearchProcess(work, expander)


def release(work: Work) -> None:
    """Releases what this process has for tasks of a run: others may go on with its tables."""
    _held.pop(work.key, None)


def _process(work: Work) -> _SearchProcess:
    return held(work.key, lambda: _SearchProcess(work))


def _local_shard(work: Work, number: int) -> LocalShard:
    process = _process(work)
    if number not in process.local_shards:
        process.local_shards[number] = LocalShard(
            number, process.log, work.folder, process.expander
        )
    return process.local_shards[number]


@dataclass(frozen=True)
class Expand:
    """Expands the states of a level from the log."""

    work: Work
    level: int
    ignored: tuple[int, ...]

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        process = _process(self.work)
        expansion = Expansion()
        chunks = process.log.read(self.level, shard, process.expander.pool)
        yield from process.expander.expand(chunks, self.ignored, expansion)
        yield shard, ShardReport(shard, self.level + 1, expansion=expansion)


@dataclass(frozen=True)
class Insert:
    """Inserts the states of a level.

    With `count`, it also counts the coverage points of the properties of these states. With
    `sample`, it draws a sample of that number of states. With `expands`, it expands them.
    """

    work: Work
    level: int
    ignored: tuple[int, ...]
    count: bool = False
    sample: int = 0
    expands: bool = False

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        reports: list[ShardReport] = []
        process = _process(self.work)
        expander, log = process.expander, process.log
        chunks = _local_shard(self.work, shard).insert(self.level, _packed(items, reports))
        for report in reports:
            yield shard, report
        checked = expander.check(chunks, self.ignored)
        states = sum(chunk.count for chunk in chunks)
        name, there = entry(log.files.folder, log.path(self.level, shard))
        report = ShardReport(shard, self.level, True, states, {name: there}, checked)
        if self.count:
            report.counted = expander.counted(chunks)
        if self.sample:
            report.sampled = expander.sampled(chunks, self.level, self.sample)
        if self.expands:
            expansion = Expansion()
            yield from expander.expand(chunks, self.ignored, expansion)
            yield shard, ShardReport(shard, self.level + 1, expansion=expansion)
        else:
            for chunk in chunks:
                expander.pool.give(chunk)
        yield shard, report


@dataclass(frozen=True)
class Begin:
    """Gives the first stage of a search its input."""

    stage: Insert
    packed: Mapping[int, Sequence[bytes]]

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        return self.stage(shard, self.packed.get(shard, ()))


@dataclass(frozen=True)
class NothingNew:
    """Inserts the successors of the last level, if it is known that none of them is new."""

    level: int

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        yield from ((shard, item) for item in items if isinstance(item, ShardReport))
        yield shard, ShardReport(shard, self.level, inserted=True)


@dataclass(frozen=True)
class FindSource:
    """Searches for the least state of a level that has another as a successor."""

    work: Work
    level: int
    target: Words

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Words | None]]:
        process = _process(self.work)
        chunks = process.log.read(self.level, shard, process.expander.pool)
        yield shard, process.expander.least_source(self.target, chunks)


@dataclass(frozen=True)
class Clear:
    """Removes this machine's tables of a run."""

    work: Work

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        _held.clear()
        shutil.rmtree(self.work.folder, ignore_errors=True)
        return iter(())


def _packed(items: Iterable[Item], reports: list[ShardReport]) -> Iterator[bytes]:
    """The packed states among items; reports are collected separately."""
    for item in items:
        if isinstance(item, bytes):
            yield item
        else:
            reports.append(item)
