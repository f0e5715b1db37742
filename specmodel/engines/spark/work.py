"""What a task does with the shard that it is given: here work is done in a worker's process.

Items that tasks send each other are packed states (bytes), and accounts of what was done.
"""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from specmodel.engines.native.loop.sampling import Rows
from specmodel.engines.spark.bench import Bench, Expansion, Words
from specmodel.engines.spark.log import StateLog
from specmodel.engines.spark.owned import OwnedShard
from specmodel.engines.spark.parcel import Parcel
from specmodel.kernel.context import Finding

T = TypeVar("T")


class Shared(Protocol):
    """What Spark brings to a machine once."""

    @property
    def value(self) -> Parcel: ...


@dataclass(frozen=True)
class Work:
    """What all tasks of a run know. `key` names the run; `tables` is where tables are kept, on each
    machine (empty: in the system's folder for temporary files)."""

    parcel: Shared
    key: str
    run: str
    shards: int
    deadlock: bool
    tables: str = ""

    @property
    def folder(self) -> Path:
        """Where this machine keeps the tables of the run."""
        return Path(self.tables or tempfile.gettempdir()) / f"specmodel-tables-{self.key}"


@dataclass
class Account:
    """What a task says of a shard at a level: its new states, and what expanding them has shown."""

    level: int
    shard: int
    inserted: bool = False
    states: int = 0
    checked: dict[int, Finding] = field(default_factory=dict[int, Finding])
    counted: list[int] = field(default_factory=list[int])
    sampled: Rows = field(default_factory=Rows)
    expansion: Expansion | None = None


@dataclass
class LevelAccounts:
    """What the tasks of a level, and of the expansion that led to it, have said."""

    shards: list[int]
    checked: list[dict[int, Finding]] = field(default_factory=list[dict[int, Finding]])
    counted: list[list[int]] = field(default_factory=list[list[int]])
    sampled: list[Rows] = field(default_factory=list[Rows])
    expansions: list[Expansion] = field(default_factory=list[Expansion])

    @property
    def states(self) -> int:
        return sum(self.shards)


Item = bytes | Account


class _Place:
    """What a process holds for a run."""

    def __init__(self, work: Work) -> None:
        kernel = work.parcel.value.kernel()
        self.bench = Bench(kernel, work.shards, work.deadlock)
        self.log = StateLog(Path(work.run), self.bench.layout.words)
        self.owned: dict[int, OwnedShard] = {}


_held: dict[str, Any] = {}


def held(key: str, make: Callable[[], T]) -> T:
    """What this process has for the work with a key, made when it is first asked for.

    That for other work goes: tables are mapped as long as somebody has them.
    """
    if key not in _held:
        _held.clear()
        _held[key] = make()
        gc.freeze()  # what is here to stay need not be looked at after every task
    return _held[key]


def _place(work: Work) -> _Place:
    return held(work.key, lambda: _Place(work))


def _owned(work: Work, number: int) -> OwnedShard:
    place = _place(work)
    if number not in place.owned:
        place.owned[number] = OwnedShard(number, place.log, work.folder, place.bench)
    return place.owned[number]


@dataclass(frozen=True)
class Expand:
    """Expands the states that the log has of a level."""

    work: Work
    level: int
    ignored: tuple[int, ...]

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        place = _place(self.work)
        account = Account(self.level, shard, expansion=Expansion())
        chunks = place.log.read(self.level, shard, place.bench.pool)
        yield from _expanded(place.bench, chunks, self.ignored, account)


@dataclass(frozen=True)
class Insert:
    """Takes in the states of a level; expands the new ones at once if there is to be a next.

    With `count` it also counts the code of the properties that look at them. It draws a sample of
    them, if one of `sample` states is to be drawn.
    """

    work: Work
    level: int
    ignored: tuple[int, ...]
    expand: bool
    count: bool = False
    sample: int = 0

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        accounts: list[Account] = []
        bench = _place(self.work).bench
        chunks = _owned(self.work, shard).insert(self.level, _packed(items, accounts))
        for account in accounts:
            yield shard, account
        checked = bench.check(chunks, self.ignored)
        states = sum(chunk.count for chunk in chunks)
        account = Account(self.level, shard, True, states, checked)
        if self.count:
            account.counted = bench.counted(chunks)
        if self.sample:
            account.sampled = bench.sampled(chunks, self.level, self.sample)
        if self.expand:
            account.expansion = Expansion()
            yield from _expanded(bench, chunks, self.ignored, account)
            return
        for chunk in chunks:
            bench.pool.give(chunk)
        yield shard, account


@dataclass(frozen=True)
class Begin:
    """Gives the first stage of a search what others would send it."""

    stage: Insert
    packed: Mapping[int, Sequence[bytes]]

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        return self.stage(shard, self.packed.get(shard, ()))


@dataclass(frozen=True)
class NothingNew:
    """Takes in the states that the last level leads to, where it is known that none is new."""

    work: Work
    level: int

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        yield from ((shard, item) for item in items if isinstance(item, Account))
        yield shard, Account(self.level, shard, inserted=True)


@dataclass(frozen=True)
class FindSource:
    """Looks for the least state of a level that has another as a successor."""

    work: Work
    level: int
    target: Words

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Words | None]]:
        place = _place(self.work)
        chunks = place.log.read(self.level, shard, place.bench.pool)
        yield shard, place.bench.least_source(self.target, chunks)


@dataclass(frozen=True)
class Clear:
    """Removes the tables that this machine has of a run."""

    work: Work

    def __call__(self, shard: int, items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
        _held.clear()
        shutil.rmtree(self.work.folder, ignore_errors=True)
        return iter(())


def _packed(items: Iterable[Item], accounts: list[Account]) -> Iterator[bytes]:
    """The packed states among items; accounts are put aside."""
    for item in items:
        if isinstance(item, bytes):
            yield item
        else:
            accounts.append(item)


def _expanded(
    bench: Bench, chunks: Iterable[Any], ignored: tuple[int, ...], account: Account
) -> Iterator[tuple[int, Item]]:
    assert account.expansion is not None
    yield from bench.expand(chunks, ignored, account.expansion)
    yield account.shard, account
