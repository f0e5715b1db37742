"""Memory reserved for a search whose size is known: it is taken, enough, and never needed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.engines.native.loop.memory import HUGE_PAGE, Memory
from specmodel.engines.native.reserve import Reserve, reserve_for
from specmodel.engines.native.search import search
from specmodel.engines.native.shard import Shard
from specmodel.results import Options

DESIGN = specmodel.load("kip320", replicas=2)
STATES = 5_973


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The shards whose tables have grown, once for each time."""
    shards: list[int] = []
    make_room: Callable[[Shard], None] = Shard._make_room  # pyright: ignore[reportPrivateUsage]

    def noted(shard: Shard) -> None:
        shards.append(shard.number)
        make_room(shard)

    monkeypatch.setattr(Shard, "_make_room", noted)
    return shards


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_tables_need_not_grow(workers: int, grown: list[int]) -> None:
    """With the reserve for what the design's file expects, they hold all states from the start."""
    options = Options(workers=workers)
    assert DESIGN.states == STATES
    assert search(DESIGN, options).distinct == STATES
    assert grown
    grown.clear()
    reserve = reserve_for(DESIGN, options)
    assert reserve is not None
    assert search(DESIGN, options, reserve).distinct == STATES
    assert grown == []
    reserve.close()


@pytest.mark.parametrize("states", [4_000, 1_000_000, 10**400], ids=["few", "many", "absurd"])
def test_a_wrong_number_does_no_harm(states: int) -> None:
    """Nor does a file that is no longer true of its spec change what a search finds."""
    options = Options(workers=2)
    reserve = reserve_for(replace(DESIGN, states=states), options)
    assert reserve is not None
    found = search(DESIGN, options, reserve)
    reserve.close()
    assert (found.verdict, found.distinct, found.depth) == ("holds", STATES, 18)


@pytest.mark.parametrize(
    "options",
    [
        {"symmetry": True},
        {"partial_order": True},
        {"fingerprint": True},
        {"compress": True},
        {"max_depth": 3},
        {"max_states": 100},
        {"spill": Path("somewhere")},
        {"checkpoint": Path("somewhere")},
        {"max_memory": 500_000},
    ],
    ids=lambda options: next(iter(options)),
)
def test_none_where_fewer_may_be_kept(options: dict[str, Any]) -> None:
    """A search that ends before, or holds states elsewhere, begins small."""
    assert reserve_for(DESIGN, Options(**options)) is None


def test_none_for_a_size_that_is_not_known() -> None:
    """Nor for one so small that a search begins with as much anyway."""
    assert reserve_for(specmodel.load("kip320", replicas=2, log_size=1), Options()) is None
    assert reserve_for(replace(DESIGN, states=100), Options()) is None


def test_none_where_there_is_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search finds out by itself, and says so."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no memory")

    monkeypatch.setattr("specmodel.engines.native.reserve.Region", refuse)
    assert reserve_for(DESIGN, Options()) is None


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what is resident")
def test_it_is_made_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread has the system bring the memory, before anybody asks for it."""
    monkeypatch.setattr("specmodel.engines.native.reserve.processors", lambda: 2)
    before = _resident()
    reserve = Reserve(1, [3 * HUGE_PAGE, HUGE_PAGE])
    for thread in threading.enumerate():
        if thread.name == "specmodel_reserve":
            thread.join()
    assert _resident() - before >= 4 * HUGE_PAGE
    memory = Memory(reserve=reserve)
    taken = memory.region(HUGE_PAGE)
    assert memory.used == HUGE_PAGE
    assert reserve.take(HUGE_PAGE) is None
    reserve.close()
    assert _resident() - before < 2 * HUGE_PAGE
    taken.close()


def test_each_region_is_taken_once() -> None:
    """What is not there any more comes from the system, as it does without a reserve."""
    reserve = Reserve(1, [HUGE_PAGE, HUGE_PAGE])
    taken = [reserve.take(HUGE_PAGE) for _ in range(3)]
    assert taken[2] is None
    assert reserve.take(4096) is None
    addresses = {region.address for region in taken if region is not None}
    assert len(addresses) == 2
    reserve.close()


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
