"""Workers share a level's states, do a task side by side, and wait for each other."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.engines.native.frontier import LEAST, Frontier, Share
from specmodel.engines.native.memory import WORD, Chunk, ChunkPool, Memory
from specmodel.engines.native.team import Count, Team

CAPACITY = 4 * LEAST


def chunks_of(pool: ChunkPool, counts: list[int]) -> list[Chunk]:
    chunks = [pool.take() for _ in counts]
    for chunk, count in zip(chunks, counts, strict=True):
        chunk.count = count
    return chunks


def places(shares: list[Share]) -> list[int]:
    return sorted(s.address + i * WORD for s in shares for i in range(s.count))


counts = st.lists(st.integers(1, CAPACITY), max_size=4)


@given(counts=st.lists(counts, min_size=1, max_size=4), order=st.randoms(use_true_random=False))
def test_every_state_is_in_one_share(counts: list[list[int]], order: random.Random) -> None:
    """Whoever takes when, and nothing is left. Chunks come back once, when all of them is done."""
    pool = ChunkPool(Memory(), 1, CAPACITY)
    frontier = Frontier(pool, len(counts))
    chunks: list[Chunk] = []
    for worker, sizes in enumerate(counts):
        chunks += (mine := chunks_of(pool, sizes))
        frontier.put(worker, mine)
    expected = sorted(c.address + i * WORD for c in chunks for i in range(c.count))
    assert frontier.left == len(expected)
    taken: list[Share] = []
    under_way: list[Share] = []
    while share := frontier.take(order.randrange(len(counts))):
        taken.append(share)
        under_way.append(share)
        if order.random() < 0.5:
            frontier.done(under_way.pop(order.randrange(len(under_way))))
    for share in under_way:
        frontier.done(share)
    assert places(taken) == expected
    assert frontier.left == 0
    back = [pool.take() for _ in chunks]
    assert sorted(c.address for c in back) == sorted(c.address for c in chunks)


def test_what_nobody_has_taken_is_dropped() -> None:
    """When a level is cut short, the next takes its place; chunks come back, none twice."""
    pool = ChunkPool(Memory(), 1, CAPACITY)
    frontier = Frontier(pool, 2)
    first = chunks_of(pool, [CAPACITY, CAPACITY])
    frontier.put(0, first)
    share = frontier.take(0)
    assert share is not None
    assert share.count < CAPACITY
    frontier.done(share)
    second = chunks_of(pool, [5])
    frontier.put(0, second)
    assert frontier.left == 5
    rest = frontier.take(0)
    assert rest is not None
    assert (rest.address, rest.count) == (second[0].address, 5)
    assert frontier.take(0) is None
    frontier.done(rest)
    back = [pool.take() for _ in range(3)]
    assert len({chunk.address for chunk in back}) == 3
    assert {chunk.address for chunk in back} == {c.address for c in first + second}


def test_the_last_shares_are_small() -> None:
    """So that no worker waits long for another; a worker that is alone gets whole chunks."""
    for workers, expected in ((1, CAPACITY), (2, LEAST)):
        pool = ChunkPool(Memory(), 1, CAPACITY)
        frontier = Frontier(pool, workers)
        frontier.put(0, chunks_of(pool, [CAPACITY] * 4))
        sizes: list[int] = []
        while share := frontier.take(0):
            sizes.append(share.count)
        assert sizes[-1] == expected
        assert sum(sizes) == 4 * CAPACITY


@pytest.fixture(params=[1, 2, 5], ids=lambda n: f"{n} workers")
def team(request: pytest.FixtureRequest) -> Iterator[Team]:
    """A team; 5 are more than there are processors on small machines, so these sleep at once."""
    made = Team(request.param)
    yield made
    made.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("specmodel_")]


def test_a_task_is_done_by_each(team: Team) -> None:
    """Again and again, each worker in a thread of its own, the first in the caller's."""
    for turn in range(50):
        done = team.run(lambda number, turn=turn: (number, turn, threading.get_ident()))
        assert [d[:2] for d in done] == [(n, turn) for n in range(team.workers)]
        assert len({thread for _, _, thread in done}) == team.workers
        assert done[0][2] == threading.get_ident()


def test_workers_meet(team: Team) -> None:
    """None goes on before all are there, however late one is."""
    here: list[int] = []

    def task(number: int) -> list[int]:
        seen: list[int] = []
        for turn in range(3):
            time.sleep(0.02 if (number + turn) % team.workers == 0 else 0)
            here.append(number)
            team.meet()
            seen.append(len(here))
            team.meet()
        return seen

    expected = [team.workers * turn for turn in (1, 2, 3)]
    assert team.run(task) == [expected] * team.workers


def test_what_one_raises_comes_when_all_have_ended(team: Team) -> None:
    """And the team goes on to work."""
    ended: list[int] = []

    def task(number: int) -> None:
        if number == team.workers - 1:
            raise ValueError("this one")
        time.sleep(0.02)
        ended.append(number)

    with pytest.raises(ValueError, match="this one"):
        team.run(task)
    assert sorted(ended) == list(range(team.workers - 1))
    assert team.run(lambda number: number) == list(range(team.workers))


@pytest.mark.parametrize("looks", [0, 10, 1 << 40], ids=["sleeping", "both", "looking"])
def test_a_wait_ends(looks: int) -> None:
    """Whether the number has grown before, or grows while a thread looks, or while it sleeps."""
    count = Count(looks)
    count.add()
    count.wait(1)
    woken: list[int] = []

    def wait() -> None:
        count.wait(3)
        woken.append(1)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    time.sleep(0.02)
    assert count.add() == 2
    time.sleep(0.02)
    assert not woken
    assert count.add() == 3
    thread.join(30)
    assert woken
