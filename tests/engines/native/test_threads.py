"""Workers do a task side by side, and wait for each other."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest

from specmodel.engines.native import threads as threads_module
from specmodel.engines.native.threads import Count, Threads


@pytest.fixture(params=[1, 2, 5], ids=lambda n: f"{n} workers")
def threads(request: pytest.FixtureRequest) -> Iterator[Threads]:
    """Threads; 5 are more than there are processors on small machines, so these sleep at once."""
    made = Threads(request.param)
    yield made
    made.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("specmodel_")]


def test_a_task_is_done_by_each(threads: Threads) -> None:
    """Again and again, each worker in a thread of its own, the first in the caller's."""
    for turn in range(50):
        done = threads.run(lambda number, turn=turn: (number, turn, threading.get_ident()))
        assert [d[:2] for d in done] == [(n, turn) for n in range(threads.workers)]
        assert len({thread for _, _, thread in done}) == threads.workers
        assert done[0][2] == threading.get_ident()


def test_what_one_raises_comes_when_all_have_ended(threads: Threads) -> None:
    """And the threads go on to work."""
    ended: list[int] = []

    def task(number: int) -> None:
        if number == threads.workers - 1:
            raise ValueError("this one")
        time.sleep(0.02)
        ended.append(number)

    with pytest.raises(ValueError, match="this one"):
        threads.run(task)
    assert sorted(ended) == list(range(threads.workers - 1))
    assert threads.run(lambda number: number) == list(range(threads.workers))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system does not tell")
@pytest.mark.parametrize("more", [0, 1])
def test_each_has_a_processor(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    """Where there is a worker for each; else the system does as it likes, as it does afterwards."""
    usual = os.sched_getaffinity(0)
    two = sorted(usual)[:2]
    if len(two) < 2:
        pytest.skip("there is one processor")
    monkeypatch.setattr(threads_module, "places", lambda: two)
    threads = Threads(2 + more)
    try:
        for _ in range(2):
            places = threads.run(lambda _: os.sched_getaffinity(0))
            assert places == ([usual] * 3 if more else [{place} for place in two])
            assert os.sched_getaffinity(0) == (usual if more else set(two))
    finally:
        threads.close()
        os.sched_setaffinity(0, usual)


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
