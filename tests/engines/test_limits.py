"""Limits, Ctrl-C and progress: a search that ends early says why, and what it says until then is
true."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from specmodel import api
from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.base.driver import Driver
from specmodel.engines.native import worker_pool
from specmodel.errors import MemoryLimit, UsageError
from specmodel.results import Options, Progress, Result
from tests.engines.outcomes import ENGINES
from tests.outside import interrupted, started
from tests.written import design_of, written

GRID = """
size = constant("size", 60, low=1)

class State(Struct):
    at: dict[Annotated[int, Range(0, 2)], Annotated[int, Range(0, size)]]

@init
def origin() -> State:
    return State({i: 0 for i in range(3)})

@action
def step(s: State, i: Annotated[int, Range(0, 2)]) -> None:
    require(s.at[i] < size)
    s.at[i] += 1

@invariant
def inside(s: State) -> bool:
    return s.at[0] <= size

@reachable
def corner(s: State) -> bool:
    return all(s.at[i] == size for i in range(3))

spec = Spec(state=State, init=origin, actions=[step], invariants=[inside], reachable=[corner])
"""


@pytest.fixture(params=[*ENGINES, "native-2"])
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


def check(engine: str, design: Design, **options: object) -> Result:
    name, _, workers = engine.partition("-")
    chosen = Options(**options, workers=int(workers or 1))  # type: ignore[arg-type]  # by name
    return ENGINES[name](design, chosen)


def assert_incomplete(result: Result, why: str) -> None:
    """Ended early for a reason, and claims nothing about what was not seen."""
    assert (result.stopped, result.complete, result.verdict) == (why, False, "incomplete")
    assert {p.verdict for p in result.properties} == {"incomplete"}


def test_max_depth(tmp_path: Path, engine: str) -> None:
    """Levels are counted as in the result: three levels of a grid are 1 + 3 + 6 states."""
    result = check(engine, design_of(tmp_path, GRID), max_depth=3)
    assert_incomplete(result, "max-depth")
    assert (result.depth, result.distinct) == (3, 10)


def test_max_states(tmp_path: Path, engine: str) -> None:
    """Levels are finished: the search ends with the first that has reached the limit."""
    result = check(engine, design_of(tmp_path, GRID), max_states=11)
    assert_incomplete(result, "max-states")
    assert (result.depth, result.distinct) == (4, 20)


def test_limit_that_is_not_reached(tmp_path: Path, engine: str) -> None:
    """A limit above what there is changes nothing."""
    design = design_of(tmp_path, GRID, size=2)
    result = check(engine, design, max_states=28, max_depth=8)
    assert (result.complete, result.distinct, result.depth) == (True, 27, 7)


def test_timeout(tmp_path: Path, engine: str) -> None:
    """A search that takes too long ends soon after."""
    design = design_of(tmp_path, GRID, size=500)
    assert_incomplete(check(engine, design, timeout=0.05), "timeout")


def test_max_memory(tmp_path: Path) -> None:
    """The limit is kept, and what had been found until then is told."""
    design = design_of(tmp_path, GRID, size=500)
    for workers in (1, 2):
        limit = 40 << 20
        result = native.check(design, Options(max_memory=limit, workers=workers))
        assert_incomplete(result, "max-memory")
        assert 0 < result.memory <= limit
        assert result.counts[0] > 1000


def test_memory_for_nothing(tmp_path: Path) -> None:
    """A limit that does not even hold the tables is refused with what would be needed."""
    with pytest.raises(MemoryLimit):
        native.check(design_of(tmp_path, GRID), Options(max_memory=1 << 10))


def test_violation_found_before_a_limit(tmp_path: Path, engine: str) -> None:
    """It counts: an incomplete search can still say no."""
    design = design_of(tmp_path, GRID.replace("s.at[0] <= size", "s.at[0] < 3"))
    result = check(engine, design, max_depth=4, keep_going=True)
    assert (result.stopped, result.verdict) == ("max-depth", "violated")
    assert result["inside"].trace_length == 4


def test_progress(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reported while it runs, growing, and never beyond what the result says."""
    monkeypatch.setattr(Driver, "progress_every", 0)
    seen: list[Progress] = []
    design = design_of(tmp_path, GRID, size=20 if engine == "interpret" else 300)
    result = check(engine, design, progress=seen.append, timeout=0.5)
    assert seen
    states = [p.distinct or 0 for p in seen]
    assert states == sorted(states)
    assert states[-1] <= result.counts[0] and all(p.depth <= result.depth for p in seen)
    assert all(p.seconds >= 0 and p.frontier >= 0 for p in seen)


def test_interrupt_gives_the_partial_result(tmp_path: Path) -> None:
    """Ctrl-C in the middle of native code: what was seen, exit code 3, no traceback."""
    spec, mark = written(tmp_path, GRID), tmp_path / "at work"
    ran = interrupted(started("check", spec, "--set", "size=2000", mark=mark), mark.exists)
    assert (ran.code, ran.err) == (3, "")
    assert "interrupted" in ran.out


def test_interrupt_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever moment it comes at, the native engine ends its threads and tells what it knows."""
    design = design_of(tmp_path, GRID, size=400)
    calls = 0

    def interrupted(search: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Driver, "watch", interrupted)
    result = native.check(design, Options(workers=2))
    assert_incomplete(result, "interrupted")
    assert result.counts[0] > 0


def test_progress_that_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may raise KeyboardInterrupt each time: that is one Ctrl-C, and traces are told."""
    design = design_of(tmp_path, GRID.replace("s.at[0] <= size", "s.at[0] < 3"), size=400)
    monkeypatch.setattr(Driver, "progress_every", 0)
    before, asked = worker_pool.WorkerPool.predecessor, threading.Event()

    def late(*arguments: Any) -> tuple[int, ...]:
        asked.clear()
        assert asked.wait(60)
        return before(*arguments)

    def end(progress: Progress) -> None:
        asked.set()
        if progress.depth > 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(worker_pool.WorkerPool, "predecessor", late)
    result = native.check(design, Options(progress=end, keep_going=True))
    assert (result.stopped, result["inside"].trace_length) == ("interrupted", 4)


def test_progress_tells_the_level_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machine code searches many levels at once, and the line of progress goes with it."""
    together, told = worker_pool.WorkerPool._together, list[int]()  # pyright: ignore[reportPrivateUsage]

    def noted(pool: worker_pool.WorkerPool, task: Any) -> None:
        together(pool, task)
        told.append(pool.depth)

    monkeypatch.setattr(worker_pool.WorkerPool, "_together", noted)
    result = native.check(design_of(tmp_path, GRID, size=30), Options())
    assert len(told) < result.depth == max(told) == 91


def test_too_many_workers(tmp_path: Path) -> None:
    """They are refused, not started: memory for what they send each other grows by the square."""
    with pytest.raises(UsageError, match="workers is at most 512, not 2000"):
        api.check(design_of(tmp_path, GRID), workers=2000)
