"""Workers share a level's states, and search level after level side by side."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specmodel.engines.native.loop import levels as machine
from specmodel.engines.native.loop import shared
from specmodel.engines.native.loop.chunks import ChunkPool, Stack
from specmodel.engines.native.loop.core import core_constants
from specmodel.engines.native.loop.frontier import LEAST, share_done, take_share
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.loop.sending import begin_fresh
from specmodel.engines.native.loop.shared import AT_ONCE, LINE, MANY, SharedWords
from specmodel.engines.native.loop.sizes import Sizes
from specmodel.engines.native.shard import Shard
from specmodel.engines.native.threads import Threads
from specmodel.errors import MemoryLimit
from specmodel.kernel.context import NoteWords
from specmodel.machine.build import build
from specmodel.machine.words import WORD
from tests.engines.native.toys import CHECKED, RECORD, SOUGHT, Toy, state_of

CAPACITY = 4 * LEAST
TINY = Sizes(chunk=64, batch=48, table=8)
ALL = 1 << 62

Share = tuple[int, int]
"""Address and number of states."""


class Frontier:
    """The frontier of shards, and what machine code does with it."""

    def __init__(self, counts: Sequence[Sequence[int]]) -> None:
        """For each shard, how many states its chunks have."""
        self.toy = Toy(1, 64)
        self.shards = self.toy.open(len(counts), Sizes(chunk=CAPACITY))
        self.pool = self.shards[0].pool
        self.code = build((take_share, share_done), core_constants(1))
        for number in range(len(counts)):
            self.put(number, counts[number])

    def put(self, number: int, counts: Sequence[int]) -> list[int]:
        """Makes chunks of so many states a shard's frontier; gives their addresses."""
        found: list[int] = []
        for count in counts:
            words = self.shards[number].struct
            words.fresh_count = count
            found.append(words.fresh)
            while self.shards[number].core.code[begin_fresh](self.shards[number].address):
                self.pool.add()
        self.shards[number].take_level()
        return found

    def take(self, number: int) -> Share | None:
        if not self.code[take_share](self.shards[number].address):
            return None
        words = self.shards[number].struct
        return words.in_columns, words.in_end

    def done(self, number: int) -> None:
        self.code[share_done](self.shards[number].address)

    @property
    def left(self) -> int:
        return self.shards[0].shared.left


def places(shares: Sequence[Share]) -> list[int]:
    return sorted(address + i * WORD for address, count in shares for i in range(count))


counts = st.lists(st.integers(1, CAPACITY), max_size=4)


@settings(deadline=None)
@given(counts=st.lists(counts, min_size=1, max_size=4), order=st.randoms(use_true_random=False))
def test_every_state_is_in_one_share(counts: list[list[int]], order: random.Random) -> None:
    """Whoever takes when, and nothing is left. Chunks come back once, when all of them is done."""
    frontier = Frontier([[] for _ in counts])
    addresses = [frontier.put(number, sizes) for number, sizes in enumerate(counts)]
    chunks = [
        (address, count)
        for mine, sizes in zip(addresses, counts, strict=True)
        for address, count in zip(mine, sizes, strict=True)
    ]
    assert frontier.left == sum(count for _, count in chunks)
    free = len(frontier.pool.free)
    taken: list[Share] = []
    working: set[int] = set()
    while True:
        number = order.randrange(len(counts))
        if number in working:
            frontier.done(number)
            working.remove(number)
        share = frontier.take(number)
        if share is None:
            break
        taken.append(share)
        working.add(number)
    for number in working:
        frontier.done(number)
    assert places(taken) == places(chunks)
    assert frontier.left == 0
    assert len(frontier.pool.free) == free + len(chunks)


def test_what_nobody_has_taken_is_dropped() -> None:
    """When a level is cut short, the next takes its place; chunks come back, none twice."""
    frontier = Frontier([[CAPACITY, CAPACITY], []])
    share = frontier.take(0)
    assert share is not None
    assert share[1] < CAPACITY
    frontier.done(0)
    free = len(frontier.pool.free)
    (address,) = frontier.put(0, [5])
    assert frontier.left == 5
    assert frontier.take(1) == (address, 5)
    assert frontier.take(0) is None
    frontier.done(1)
    assert frontier.left == 0
    everywhere = {frontier.pool.take().address for _ in range(free + 2)}
    assert len(everywhere) == free + 2


@pytest.mark.parametrize(("workers", "last"), [(1, CAPACITY), (2, LEAST), (3, LEAST)])
def test_the_last_shares_are_small(workers: int, last: int) -> None:
    """So that no worker waits long for another; a worker that is alone gets whole chunks."""
    frontier = Frontier([[CAPACITY] * 4, *([] for _ in range(workers - 1))])
    sizes: list[int] = []
    while share := frontier.take(0):
        sizes.append(share[1])
    assert sizes[-1] == last
    assert sum(sizes) == 4 * CAPACITY


def test_threads_share_a_stack() -> None:
    """Chunks that threads push and pop at the same time are neither lost nor had twice."""
    pool = ChunkPool(Memory(), 1, 64)
    stack = Stack(pool)
    for _ in range(8):
        stack.push(pool.take())
    had: list[int] = []
    until = time.monotonic() + 0.3

    def work() -> None:
        held = set[int]()
        while time.monotonic() < until:
            for _ in range(3):
                if chunk := stack.pop():
                    had.append(chunk.address)
                    assert chunk.address not in held
                    held.add(chunk.address)
            for address in held:
                stack.push(pool.chunks[address])
            held.clear()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    left = set[int]()
    while chunk := stack.pop():
        left.add(chunk.address)
    assert len(left) == 8
    assert set(had) <= left
    assert len(stack) == 0


# Level after level


def search(
    toy: Toy,
    shards: Sequence[Shard],
    levels: int = ALL,
    states: int = ALL,
    looking: bool = False,
) -> list[list[int]]:
    """Searches to the end, as workers do; the sizes of levels that each stretch came to."""
    for shard in shards:
        shard.watch(range(RECORD, RECORD + NoteWords.words + toy.words), 0, 0)
    shards[0].seed([state_of(1, toy.words)])
    shards[0].flush()
    for shard in shards:
        shard.receive()
    threads, words = Threads(len(shards)), shards[0].shared
    stretches: list[list[int]] = []
    level = 0
    try:
        while words.left:
            for shard in shards:
                shard.mark(level + 1)
            found = sum(shard.rows for shard in shards)
            words.begin(levels, max(states, found), found, looking)
            threads.run(
                lambda number: shards[number].work(shards[number].core.code[machine.search])
            )
            stretches.append(words.sizes)
            level += len(words.sizes)
            for context in toy.contexts:
                context[RECORD + 1] = 0
    finally:
        threads.close()
    return stretches


@pytest.mark.parametrize("words", [1, 2, 5])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("sizes", [TINY, None], ids=["tiny", "usual"])
def test_workers_search_together(words: int, count: int, sizes: Sizes | None) -> None:
    """Levels are those of plain Python, each state in its own, and checked once."""
    toy = Toy(words, 1 << 10)
    expected, generated = toy.bfs()
    shards = toy.open(count, sizes)
    stretches = search(toy, shards)
    found = [1, *(size for stretch in stretches for size in stretch)]
    assert found == [*(len(level) for level in expected), 0]
    assert max(map(len, stretches)) <= AT_ONCE
    assert sum(shard.generated for shard in shards) == generated
    for number, level in enumerate(expected):
        states = [state for shard in shards for state in shard.states(number)]
        assert sorted(states) == sorted(state_of(n, words) for n in level)
    assert sum(context[CHECKED] for context in toy.contexts) == sum(map(len, expected))


@pytest.mark.parametrize("count", [1, 3])
def test_workers_come_back(count: int) -> None:
    """After so many levels, at so many states, when something is noted, and at large levels."""
    toy = Toy(2, 1 << 10)
    levels, _ = toy.bfs()
    sizes = [len(level) for level in levels]
    every = search(toy, toy.open(count, TINY), levels=1)
    assert [stretch[0] for stretch in every] == [*sizes[1:], 0]
    threes = search(toy, toy.open(count, TINY), levels=3)
    assert {len(stretch) for stretch in threes[:-1]} == {3}
    first = search(toy, toy.open(count, TINY), states=sum(sizes[:5]))[0]
    assert first == sizes[1:5]
    toy = Toy(2, 1 << 10)
    shards = toy.open(count, TINY)
    for context in toy.contexts:
        context[SOUGHT] = min(levels[6])
    assert search(toy, shards)[0] == sizes[1:7]


@pytest.mark.parametrize("looking", [False, True])
def test_workers_come_back_from_large_levels(
    looking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sooner while something is looked for that any level may show."""
    monkeypatch.setattr(shared, "SOME", 1 << 9)
    toy = Toy(1, 1 << 14)
    sizes = [len(level) for level in toy.bfs()[0]]
    assert max(sizes) < MANY
    stretches = search(toy, toy.open(2), looking=looking)
    assert [s for stretch in stretches for s in stretch] == [*sizes[1:], 0]
    if looking:
        assert all(size < shared.SOME for stretch in stretches for size in stretch[:-1])
        assert len(stretches) > 2
    else:
        assert len(stretches) == 1


@pytest.mark.parametrize("count", [2, 3])
def test_one_that_fails_keeps_none_waiting(count: int) -> None:
    """What it raised comes, when all others have ended."""
    toy = Toy(2, 1 << 12)
    memory = Memory()
    shards = toy.open(count, TINY, memory)
    words, threads = shards[0].shared, Threads(count)
    shards[0].seed([state_of(1, 2)])
    shards[0].flush()
    for shard in shards:
        shard.drain()
        shard.take_level()
        shard.mark(1)
    memory.limit = memory.used + 40_000
    words.begin(ALL, ALL, 1, False)

    def work(number: int) -> None:
        try:
            shards[number].work(shards[number].core.code[machine.search])
        except MemoryLimit:
            words.stop(failed=True)
            raise

    try:
        with pytest.raises(MemoryLimit):
            threads.run(work)
    finally:
        threads.close()
    for shard in shards:
        shard.abandon()
    assert sum(len(list(shard.states(0))) for shard in shards) == 1


def test_told_to_stop() -> None:
    """Workers end where they are; what they have found is the level that would come next."""
    toy = Toy(2, 1 << 10)
    levels, _ = toy.bfs()
    shards = toy.open(2, TINY)
    shards[0].shared.stop()
    (stretch,) = search(toy, shards)
    assert stretch == [0]
    assert sum(shard.rows for shard in shards) == len(levels[0])


def test_what_workers_wait_for_has_lines_of_its_own() -> None:
    """No worker's looking is slowed by words that others write often."""
    fields = SharedWords.fields
    groups = [{"left", "total"}, {"expanded", "settled"}, {"decided"}, {"sizes"}]
    lines = {name: field.offset // LINE for name, field in fields.items() if "rest" not in name}
    for group in groups:
        (line,) = {lines.pop(name) for name in group}
        assert line not in lines.values()
    assert set(lines.values()) == {0}
