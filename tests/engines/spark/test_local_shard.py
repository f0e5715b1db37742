"""A shard's table is a cache: whoever works on the shard, and whatever was left behind."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from specmodel import load
from specmodel.engines.spark.expander import Expander, Expansion
from specmodel.engines.spark.local_shard import LocalShard
from specmodel.engines.spark.log import StateLog
from specmodel.errors import DamagedRun
from specmodel.kernel.kernel import Kernel
from specmodel.space.files import SHARD_SHIFT
from tests.outside import PATIENCE

SHARDS = 2
STATES, DEPTH = 957, 15
AT_ONCE = 3

States = set[tuple[int, ...]]


class World:
    """A search without Spark: an expander, a log, and shards that are opened as one likes."""

    def __init__(self, folder: Path) -> None:
        design = load("kip320", replicas=2, max_leader_epoch=1)
        self.kernel = Kernel(design.spec, design.chosen(None))
        self.expander = Expander(self.kernel, SHARDS, deadlock=False)
        self.folder = folder
        self.log = StateLog(folder / "run", self.kernel.program.layout.words)
        layout = self.kernel.program.layout
        initial = [layout.pack(state) for state in _initial(design)]
        self.sent = {shard: [some] for shard, some in self.expander.packed(initial)}

    def local_shard(self, number: int, machine: str = "a") -> LocalShard:
        """The shard as a process of a machine opens it."""
        return LocalShard(number, self.log, self.folder / machine, self.expander)

    def levels(self, count: int, shards: list[LocalShard]) -> list[States]:
        """Searches so many levels from the first; gives the states of each."""
        found: list[States] = []
        sent: dict[int, list[bytes]] = self.sent
        for level in range(count):
            following: dict[int, list[bytes]] = {}
            states: States = set()
            for shard in shards:
                chunks = shard.insert(level, sent.get(shard.number, []))
                states |= {words for chunk in chunks for words in chunk.states()}
                for to, some in self.expander.expand(chunks, (), Expansion()):
                    following.setdefault(to, []).append(some)
            found.append(states)
            sent = following
        return found

    def ids(self, number: int) -> list[int]:
        """The ids of all states of a shard, by level and place in the log."""
        files = [self.log.path(level, number) for level in range(DEPTH)]
        return [i for file in files for i in pq.read_table(file)["id"].to_pylist()]

    def sent_from(self, level: int) -> dict[int, list[bytes]]:
        """What the states of a level in the log lead to, by shard."""
        sent: dict[int, list[bytes]] = {}
        for number in range(SHARDS):
            chunks = self.log.read(level, number, self.expander.pool)
            for to, some in self.expander.expand(chunks, (), Expansion()):
                sent.setdefault(to, []).append(some)
        return sent


def _initial(design: object) -> Iterator[object]:
    from specmodel.behaviour.steps import Interpreter

    yield from Interpreter(design.spec).initial()  # type: ignore[attr-defined]  # a design


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def wanted(tmp_path: Path) -> list[States]:
    """The levels as one process finds them without a break."""
    own = World(tmp_path / "wanted")
    return own.levels(DEPTH, [own.local_shard(0), own.local_shard(1)])


def test_levels(wanted: list[States]) -> None:
    """All states, each at one level, though steps lead back to lower ones."""
    assert sum(map(len, wanted)) == len(set[tuple[int, ...]]().union(*wanted)) == STATES


class Anywhere(LocalShard):
    """A shard that another process, perhaps of another machine, works on at each level."""

    def __init__(self, world: World, number: int, machines: str) -> None:
        super().__init__(number, world.log, world.folder / machines[0], world.expander)
        self.world, self.machines = world, machines

    def insert(self, level: int, packed: object) -> object:  # type: ignore[override]
        machine = self.machines[level % len(self.machines)]
        return self.world.local_shard(self.number, machine).insert(level, packed)  # type: ignore[arg-type]


@pytest.mark.parametrize("machines", ["a", "ab", "aab", "abc"])
def test_moves(world: World, wanted: list[States], machines: str) -> None:
    """A process finds the table that another of its machine has left; on another machine it takes
    what it lacks from the log."""
    shards = [Anywhere(world, number, machines) for number in range(SHARDS)]
    assert world.levels(DEPTH, shards) == wanted  # type: ignore[arg-type]
    for number in range(SHARDS):
        ids = [i - (number << SHARD_SHIFT) for i in world.ids(number)]
        assert ids == list(range(len(ids)))


def test_twice(world: World, wanted: list[States]) -> None:
    """A task that is done twice, the second time by another process, gives the same and writes
    nothing: the first attempt counts."""
    world.levels(5, [world.local_shard(0), world.local_shard(1)])
    before = {path: path.stat().st_mtime_ns for path in (world.folder / "run").rglob("*.parquet")}
    assert world.levels(DEPTH, [world.local_shard(0), world.local_shard(1)]) == wanted
    assert all(path.stat().st_mtime_ns == time for path, time in before.items())


def test_stopped_in_the_middle(world: World, wanted: list[States]) -> None:
    """A table that was being written to when its process ended is not trusted, nor is a file that
    was not finished."""
    shards = [world.local_shard(0), world.local_shard(1)]
    world.levels(5, shards)
    sent = world.sent_from(4)

    def all_of(shard: int) -> Iterator[bytes]:
        yield from sent[shard]
        raise KeyboardInterrupt

    for shard in shards:
        with pytest.raises(KeyboardInterrupt):
            shard.insert(5, all_of(shard.number))
        part = world.log.path(5, shard.number).with_name(".shard.part")
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(b"half")
    assert world.levels(DEPTH, [world.local_shard(0), world.local_shard(1)]) == wanted


def test_ended_before_it_was_sealed(
    world: World, wanted: list[States], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The states are in the log, and the table, though it has them, is not trusted."""
    shards = [world.local_shard(0), world.local_shard(1)]
    world.levels(5, shards)
    for shard in shards:
        monkeypatch.setattr(shard.file, "seal", _end)
    with pytest.raises(KeyboardInterrupt):
        world.levels(6, shards)
    assert world.levels(DEPTH, [world.local_shard(0), world.local_shard(1)]) == wanted


def _end(levels: int, rows: int) -> None:
    raise KeyboardInterrupt


def _insert(folder: Path, level: int, rank: int, ready: Barrier) -> None:
    """A process that begins the later, the sooner it ends: it would find the others' states."""
    world = World(folder)
    sent = world.sent_from(level - 1)

    def slowly(number: int) -> Iterator[bytes]:
        time.sleep(0.05 * rank)
        yield from sent.get(number, [])
        time.sleep(0.1 * (AT_ONCE - rank))

    ready.wait(PATIENCE)
    for number in range(SHARDS):
        world.local_shard(number).insert(level, slowly(number))


def test_at_once(world: World, wanted: list[States]) -> None:
    """Processes that do the same task at the same time wait for each other."""
    found = world.levels(4, [world.local_shard(0), world.local_shard(1)])
    # A fork of this process, which has the threads of Spark and of libraries, may wait for ever for
    # what one of them holds.
    spawn = multiprocessing.get_context("spawn")
    ready, processes = spawn.Barrier(AT_ONCE), list[SpawnProcess]()
    for rank in range(AT_ONCE):
        given = (world.folder, 4, rank, ready)
        processes.append(spawn.Process(target=_insert, args=given, daemon=True))
        processes[-1].start()
    for process in processes:
        process.join(PATIENCE)
    assert [process.exitcode for process in processes] == [0] * AT_ONCE
    assert world.levels(DEPTH, [world.local_shard(0), world.local_shard(1)]) == wanted
    assert found == wanted[:4]


def test_no_room(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table for which there is no room is an error when it is made, not a crash later."""

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(OSError, match="No space left"):
        world.local_shard(0).insert(0, [])
    assert not world.log.has(0, 0)


def test_damaged(world: World) -> None:
    """A file that is not Parquet is named."""
    path = world.log.path(0, 0)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"nothing")
    with pytest.raises(DamagedRun, match=r"shard=0000\.parquet cannot be read"):
        world.local_shard(0).insert(0, [])
