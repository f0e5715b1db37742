"""The search core finds each state once, at its level, whatever is small or full on the way."""

from __future__ import annotations

import gc
import random
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specmodel.engines.native.loop.chunks import ChunkPool, Stack
from specmodel.engines.native.loop.core import load_core
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.loop.probing import following
from specmodel.engines.native.loop.sizes import Sizes
from specmodel.engines.native.loop.tags import LevelLimit
from specmodel.engines.native.predecessors import predecessor
from specmodel.engines.native.shard import Shard
from specmodel.engines.native.shards import open_shards
from specmodel.errors import MemoryLimit
from tests.engines.native.toys import (
    LAST_MASK,
    TAG_SHIFT,
    Toy,
    explore,
    python_successors,
    state_of,
)

TINY = Sizes(chunk=64, batch=48, table=8)
INITIAL = 1


@pytest.mark.parametrize("words", [1, 2, 3, 5])
def test_table_is_a_set(words: int) -> None:
    """States that differ in a word are apart, equal ones are one, while chunks and tables fill."""
    toy = Toy(words, 64)
    (shard,) = toy.open(1, TINY)
    draw = random.Random(words)
    near = [0, 1, 1 << 63, (1 << 64) - 1]
    last = [0, 1, LAST_MASK]
    pool = [(*(draw.choice(near) for _ in range(words - 1)), draw.choice(last)) for _ in range(200)]
    pool += [
        (*(draw.getrandbits(64) for _ in range(words - 1)), draw.getrandbits(TAG_SHIFT))
        for _ in range(3000)
    ]
    offered = [draw.choice(pool) for _ in range(20_000)]
    assert shard.seed(offered)
    fresh = [state for chunk in shard.take_fresh() for state in chunk.states()]
    assert len(fresh) == shard.distinct == len(set(offered))
    assert set(fresh) == set(offered) == set(shard.states(0))
    assert shard.generated == len(offered)
    assert shard.slots > shard.distinct


@pytest.mark.parametrize("words", [1, 2, 3, 5])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("sizes", [TINY, None], ids=["tiny", "usual"])
def test_search_equals_plain_python(words: int, count: int, sizes: Sizes | None) -> None:
    """Levels, their states and the number generated do not depend on workers or sizes."""
    toy = Toy(words, 1 << 10)
    levels, generated = toy.bfs()
    shards = toy.open(count, sizes)
    assert explore(shards, [state_of(INITIAL, words)]) == [len(level) for level in levels]
    assert sum(shard.generated for shard in shards) == generated
    for number, level in enumerate(levels):
        found = [state for shard in shards for state in shard.states(number)]
        assert len(found) == len(set(found))
        assert set(found) == {state_of(n, words) for n in level}


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("kept", "canonical"), [(True, False), (False, True), (True, True)])
def test_constraints_and_canonical_form(count: int, kept: bool, canonical: bool) -> None:
    """Successors are made canonical, filtered, then looked up; all of them count as generated."""
    toy = Toy(2, 1 << 10, kept, canonical)
    levels, generated = toy.bfs()
    shards = toy.open(count, TINY)
    assert explore(shards, [state_of(INITIAL, 2)]) == [len(level) for level in levels]
    assert sum(shard.generated for shard in shards) == generated


@settings(max_examples=25, deadline=None)
@given(
    chunk=st.integers(6, 12).map(lambda n: n * 8),
    batch=st.integers(24, 80),
    table=st.integers(2, 40),
    count=st.integers(1, 3),
)
def test_any_sizes_give_the_same(chunk: int, batch: int, table: int, count: int) -> None:
    """Whichever of chunk, outbox, batch and table fills first, nothing is lost or entered twice."""
    toy = Toy(2, 1 << 8)
    levels, _ = toy.bfs()
    shards = toy.open(count, Sizes(chunk, batch, table))
    assert explore(shards, [state_of(INITIAL, 2)]) == [len(level) for level in levels]


@pytest.mark.parametrize("count", [1, 2])
def test_kernel_can_stop_a_search(count: int) -> None:
    """A status set by the kernel is seen at once, and the search goes on without loss."""
    toy = Toy(2, 1 << 10)
    levels, generated = toy.bfs()
    shards = toy.open(count, TINY)
    for context in toy.contexts:
        context[2] = 15
    stopped: list[int] = []

    def clear(number: int) -> None:
        stopped.append(toy.contexts[number][1])
        toy.contexts[number][1] = 0

    counts = explore(shards, [state_of(INITIAL, 2)], clear)
    assert counts == [len(level) for level in levels]
    assert stopped == [1]
    assert sum(shard.generated for shard in shards) == generated


def test_memory_limit_leaves_all_whole() -> None:
    """What does not fit is refused by an error saying so; a raised limit lets the search go on."""
    toy = Toy(2, 1 << 10)
    levels, _ = toy.bfs()
    memory = Memory()
    (shard,) = toy.open(1, TINY, memory)
    shard.mark(0)
    shard.seed([state_of(INITIAL, 2)])
    refused, counts = 0, []
    while chunks := shard.take_fresh():
        counts.append(sum(chunk.count for chunk in chunks))
        shard.mark(len(counts))
        for chunk in chunks:
            memory.limit = memory.used
            try:
                shard.expand(chunk)
            except MemoryLimit as error:
                assert "out of memory" in str(error)
                assert memory.used <= memory.limit
                refused += 1
                memory.limit = None
                shard.resume()
            memory.limit = None
            shard.pool.give(chunk)
    assert refused > 1
    assert counts == [len(level) for level in levels]


def test_abandoned_search_can_be_looked_into() -> None:
    """After a refusal, what was found so far is there for traces and exports."""
    toy = Toy(1, 1 << 10)
    memory = Memory()
    (shard,) = toy.open(1, TINY, memory)
    shard.mark(0)
    memory.limit = memory.used + 2048
    with pytest.raises(MemoryLimit):
        shard.seed(state_of(n, 1) for n in range(500))
    assert len(list(shard.states(0))) == shard.distinct > 0


def test_memory_is_counted() -> None:
    """The bytes held are at least the tables', and growing never holds both tables whole."""
    toy = Toy(3, 1 << 14)
    memory = Memory()
    shards = toy.open(2, None, memory)
    explore(shards, [state_of(INITIAL, 3)])
    tables = sum(shard.slots for shard in shards) * 24
    assert tables < memory.used <= memory.peak


@pytest.mark.parametrize("count", [1, 2, 3, 4, 8])
def test_a_sender_sends_all(count: int) -> None:
    """A shard whose number is that of the shards keeps none of the states that it finds."""
    toy = Toy(2, 1 << 10)
    memory, sizes = Memory(), Sizes().for_bindings(3)
    pool = ChunkPool(memory, 2, sizes.chunk)
    sender = Shard(count, count, load_core(2), toy.kernel, toy.context(), TAG_SHIFT, pool, sizes)
    inboxes = [Stack(pool) for _ in range(count)]
    sender.connect(inboxes)
    chunk = pool.take()
    chunk.fill([state_of(number, 2) for number in range(1 << 10)])
    sender.expand(chunk)
    sender.flush()
    sent: list[list[tuple[int, ...]]] = [[] for _ in inboxes]
    for inbox, states in zip(inboxes, sent, strict=True):
        while came := inbox.pop():
            states += came.states()
    expected = [s for number in range(1 << 10) for s in python_successors(number, 1 << 10)]
    assert sorted(s for states in sent for s in states) == sorted(
        state_of(number, 2) for number in expected
    )
    assert sum(len(set(states)) for states in sent) == len(set(expected))  # each has one owner
    assert min(map(len, sent)) > 0
    assert sender.rows == 0
    assert not sender.take_fresh()


def test_shards_are_freed_at_once() -> None:
    """A table does not wait for the collector: several searches in a process would add up."""
    toy = Toy(1, 64)  # it owns what the shards have addresses of
    shards = toy.open(2)
    explore(shards, [state_of(INITIAL, 1)])
    left = [weakref.ref(shard) for shard in shards]
    gc.disable()
    try:
        del shards
        assert [reference() for reference in left] == [None, None]
    finally:
        gc.enable()


def test_level_that_tags_cannot_say() -> None:
    """The search stops with a message instead of wrapping a tag."""
    toy = Toy(1, 64)
    (shard,) = open_shards(1, 61, toy.kernel, [toy.context()], Memory())
    shard.mark(6)
    with pytest.raises(LevelLimit, match="level 7"):
        shard.mark(7)
    shard.seed([(5,)])
    assert list(shard.states(6)) == [(5,)]


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_predecessor_is_the_least(words: int, canonical: bool, count: int) -> None:
    """Of all states of the level before that lead to a state, the least is given, of any owner."""
    toy = Toy(words, 1 << 9, canonical=canonical)
    levels, _ = toy.bfs()
    shards = toy.open(count, TINY)
    explore(shards, [state_of(INITIAL, words)])
    scratch = toy.context()
    for number in range(1, len(levels)):
        for target in list(levels[number])[:20]:
            sources = [
                state_of(n, words)
                for n in levels[number - 1]
                if target in {s & ~1 if canonical else s for s in python_successors(n, 1 << 9)}
            ]
            found = [
                predecessor(shard, state_of(target, words), number - 1, scratch) for shard in shards
            ]
            assert min(state for state in found if state is not None) == min(sources)
    assert all(predecessor(shard, state_of(0, words), 60, scratch) is None for shard in shards)


def test_kernels_can_be_swapped() -> None:
    """Another compilation of the same model goes on where the first stopped."""
    first, second = Toy(2, 1 << 10), Toy(2, 1 << 10)
    levels, _ = first.bfs()
    (shard,) = first.open(1)
    shard.mark(0)
    shard.seed([state_of(INITIAL, 2)])
    counts: list[int] = []
    while chunks := shard.take_fresh():
        counts.append(sum(chunk.count for chunk in chunks))
        shard.mark(len(counts))
        shard.use((first, second)[len(counts) % 2].kernel)
        for chunk in chunks:
            shard.expand(chunk)
            shard.pool.give(chunk)
    assert counts == [len(level) for level in levels]


@given(st.integers(1, 40), st.data())
def test_every_bucket_is_looked_into_once(pairs: int, data: st.DataObject) -> None:
    """From any bucket on, pair by pair: a search ends, and what overflows a pair is behind it."""
    home = data.draw(st.integers(0, 2 * pairs - 1))
    seen = [home]
    while (bucket := following(seen[-1], home, 2 * pairs)) != home:
        seen.append(bucket)
    assert sorted(seen) == list(range(2 * pairs))
    first = home // 2
    assert [b // 2 for b in seen] == [(first + k // 2) % pairs for k in range(2 * pairs)]
