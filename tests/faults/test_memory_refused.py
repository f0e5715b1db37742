"""The limit of memory, met at one request after the other: what a search had found until then is
told, and nothing else."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.native.loop import sizes
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.stores import cold
from specmodel.errors import MemoryLimit
from specmodel.results import Options, Result
from tests.engines.outcomes import said
from tests.engines.test_checkpoint import GRID
from tests.written import design_of


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    """Smaller than that of other faults: it is searched for each request."""
    return design_of(tmp_path_factory.mktemp("spec"), GRID, size=14)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is asked for often: at first there is next to none."""
    monkeypatch.setattr(sizes, "FIRST_CAPACITY", 64)
    monkeypatch.setattr(sizes, "FIRST_TABLES", 0)
    monkeypatch.setattr(cold, "LEAST_TABLE", 0)
    monkeypatch.setattr(sizes.Sizes, "growth", lambda *given: 1.5)


def refused(design: Design, options: Options, number: int) -> tuple[Result | None, bool]:
    """What a search tells whose request of a number is refused, and whether one was.

    There is no result if there was not even memory to begin with.
    """
    requests = 0

    def one(memory: Memory, size: int, beyond_limit: bool = False) -> None:
        nonlocal requests
        requests += 1
        if requests == number and not beyond_limit:
            raise MemoryLimit(size, 0)
        count_in(memory, size, beyond_limit)

    count_in = Memory._count  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Memory, "_count", one)
        try:
            return native.check(design, options), requests >= number
        except MemoryLimit:
            return None, True


@pytest.mark.parametrize(("way", "every"), [("table", 1), ("spill", 1), ("compress", 67)])
@pytest.mark.parametrize("workers", [1, 2])
def test_requests(
    design: Design, whole: Result, tmp_path: Path, way: str, every: int, workers: int
) -> None:
    """Levels that were finished have all their states, and what is violated has a shortest trace.

    A level that was not finished counts for what is there of it. A search that spills states goes
    on without the memory for a larger table.
    """
    options = Options(
        keep_going=True,
        workers=workers,
        compress=way == "compress",
        spill=tmp_path if way == "spill" else None,
    )
    depths: set[int] = set()
    for number in count(1, every):
        found, met = refused(design, options, number)
        if not met:
            break
        if found is None:
            continue
        if found.complete:  # it could do without
            assert said(found) == said(whole)
            continue
        depths.add(found.depth)
        assert found.stopped == "max-memory"
        assert len(found.levels) == found.depth
        assert found.levels[:-1] == whole.levels[: found.depth - 1]
        assert found.levels[-1] <= whole.levels[found.depth - 1]
        for rule in found.properties:
            expected = whole[rule.name]
            assert expected.trace is not None
            if rule.trace is not None:
                assert rule.trace_length == expected.trace_length
            else:
                assert len(expected.trace.states) >= found.depth
    assert len(depths) > 1 or way == "spill"
