"""States outside the tables, compressed in memory or on disk: the results are those of a search
that has all of them in tables, whatever is moved when."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel.design import Design
from specmodel.engines import native, registry
from specmodel.engines.native.loop import sizes
from specmodel.engines.native.stores import cold, run
from specmodel.errors import UsageError
from specmodel.results import Options
from tests.engines.outcomes import outcome, said
from tests.engines.test_checkpoint import GRID
from tests.written import design_of

SIZE = 24


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables stay as they are at first, which is small: most states are new in runs."""
    monkeypatch.setattr(sizes, "FIRST_TABLES", 0)
    monkeypatch.setattr(sizes, "FIRST_CAPACITY", 256)
    monkeypatch.setattr(cold, "LEAST_TABLE", 0)
    monkeypatch.setattr(cold, "TABLE_SHARE", 0)
    monkeypatch.setattr(cold.SpillStore, "may_grow", lambda *given: False)  # type: ignore[misc]


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    return design_of(tmp_path_factory.mktemp("spec"), GRID, size=SIZE)


@pytest.fixture(scope="module")
def expected(design: Design) -> Any:
    return outcome(native.check, design, Options(keep_going=True))


def ways(tmp_path: Path) -> dict[str, dict[str, Any]]:
    """The options of each way to keep states."""
    return {"table": {}, "compress": {"compress": True}, "spill": {"spill": tmp_path / "spilled"}}


@pytest.mark.parametrize("way", ["compress", "spill"])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_same_result(design: Design, expected: Any, tmp_path: Path, way: str, workers: int) -> None:
    """Counts, verdicts and traces, with several runs a level and runs of many levels."""
    options = Options(keep_going=True, workers=workers, **ways(tmp_path)[way])
    assert outcome(native.check, design, options) == expected
    found = native.check(design, options)
    assert (found.disk > 0) == (way == "spill")


@pytest.mark.parametrize("way", ["compress", "spill"])
@pytest.mark.parametrize("items", [64, 500])
def test_parts_of_any_size(
    design: Design,
    expected: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
    items: int,
) -> None:
    """Runs are written and merged in parts: where these end changes nothing."""
    for module in (run, cold):
        monkeypatch.setattr(module, "ITEMS", items)
    options = Options(keep_going=True, workers=2, **ways(tmp_path)[way])
    assert outcome(native.check, design, options) == expected


@pytest.mark.parametrize("before", ["table", "compress", "spill"])
@pytest.mark.parametrize("after", ["table", "compress", "spill"])
def test_checkpoint_between_ways(
    design: Design, expected: Any, tmp_path: Path, before: str, after: str
) -> None:
    """A checkpoint does not know where states were, and fits any way to keep them."""
    if before == after == "table":
        pytest.skip("what the tests of checkpoints are about")
    kept = {"checkpoint": tmp_path / "kept", "keep_going": True}
    for depth in (2, 20, 40):
        options = Options(**kept, **ways(tmp_path)[before], workers=3, max_depth=depth, resume=True)
        assert native.check(design, options).depth == depth
    options = Options(**kept, **ways(tmp_path)[after], workers=2, resume=True)
    assert outcome(native.check, design, options) == expected


def test_spills_where_memory_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stops without a place to spill to comes to its end with one, within the limit."""
    monkeypatch.undo()
    big = design_of(tmp_path, GRID, size=60)
    limit = 6 << 20
    for workers in (1, 2):
        assert native.check(big, Options(max_memory=limit, workers=workers)).stopped == "violation"
        plain = Options(max_memory=limit, keep_going=True, workers=workers)
        assert native.check(big, plain).stopped == "max-memory"
        spilling = Options(
            max_memory=limit, keep_going=True, workers=workers, spill=tmp_path / "spilled"
        )
        result = native.check(big, spilling)
        assert (result.complete, result.stopped) == (True, "")
        assert result.memory <= limit
        assert result.disk > 0
    assert list((tmp_path / "spilled").iterdir()) == []


@pytest.mark.parametrize("writes", [0, 1, 7, 30])
def test_disk_full(
    design: Design, expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    """The search ends as incomplete, and nothing of its checkpoint is lost."""
    real, left = run.OnDisk.write, writes

    def write(place: run.OnDisk, block: memoryview) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise run.DiskFull("cannot write states: No space left on device")
        real(place, block)

    monkeypatch.setattr(run.OnDisk, "write", write)
    kept = {"checkpoint": tmp_path / "kept", "keep_going": True}
    stopped = native.check(design, Options(**kept, spill=tmp_path / "spilled", workers=2))
    assert (stopped.stopped, stopped.complete) == ("disk-full", False)
    assert outcome(native.check, design, Options(**kept, resume=True)) == expected


def test_wrong_use(design: Design, tmp_path: Path) -> None:
    """A folder that is none, both ways at once, the other engine."""
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot spill to"):
        native.check(design, Options(spill=tmp_path / "file"))
    with pytest.raises(UsageError, match="not both"):
        native.check(design, Options(spill=tmp_path, compress=True))
    with pytest.raises(UsageError, match="native engine"):
        registry.engine("interpret").check(design, Options(spill=tmp_path))


def test_fewer_workers_than_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of one of three shards belongs into a third of the table, which is full when that is.

    To look for a free row beyond it takes longer the more states there are: without end.
    """
    monkeypatch.setattr(sizes, "FIRST_TABLES", 1 << 20)
    monkeypatch.setattr(sizes, "FIRST_CAPACITY", 1 << 17)
    design = design_of(tmp_path, GRID, size=70)
    spilled, folder, filled = tmp_path / "spilled", tmp_path / "kept", list[float]()
    first = Options(keep_going=True, spill=spilled, checkpoint=folder, max_depth=110, workers=3)
    native.check(design, first)

    def evict(store: cold.Cold, level: int) -> None:
        filled.append(store.shard.rows / store.shard.slots)
        usual(store, level)

    usual = cold.Cold.evict
    monkeypatch.setattr(cold.Cold, "evict", evict)
    again = replace(first, workers=1, resume=True, max_depth=111)
    found = native.check(design, again)
    assert filled[0] < 0.7, filled
    assert outcome(native.check, design, Options(keep_going=True, max_depth=111)) == said(found)
