"""States that tasks of one machine hand over in files arrive whole, or the reader says why not."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

import pytest

from specmodel.engines.spark.handover import Handed, hand_over
from specmodel.engines.spark.session import Session
from specmodel.engines.spark.shard_tasks import Expand
from specmodel.errors import SpecmodelError
from tests.engines.spark.conftest import Check
from tests.engines.spark.test_same_results import LINE, design_of

SENT = [(0, b"a" * 8), (1, b"b" * 24), (0, b"c" * 16)]


def read(found: dict[int, Handed], shard: int) -> list[bytes]:
    """What a shard is handed."""
    return list(found[shard].read())


def test_each_shard_reads_its_own(tmp_path: Path) -> None:
    """In the order in which it was sent."""
    found = dict(hand_over(tmp_path / "tables" / "sent", SENT))
    assert read(found, 0) == [b"a" * 8, b"c" * 16]
    assert read(found, 1) == [b"b" * 24]
    assert dict(hand_over(tmp_path / "none", [])) == {}


def test_the_next_level_overwrites_it(tmp_path: Path) -> None:
    """Shorter content leaves a rest of the level before, which nobody reads; who still reads that
    level is told."""
    path = tmp_path / "sent"
    before = dict(hand_over(path, SENT))
    after = dict(hand_over(path, [(1, b"d" * 8)]))
    assert read(after, 1) == [b"d" * 8]
    with pytest.raises(SpecmodelError, match=r"sent was overwritten while it was read"):
        read(before, 0)


def test_a_short_file(tmp_path: Path) -> None:
    """A piece that is not all there is no piece."""
    path = tmp_path / "sent"
    found = dict(hand_over(path, SENT))
    with path.open("rb+") as file:
        file.truncate(40)
    with pytest.raises(SpecmodelError, match="overwritten"):
        read(found, 1)


def test_waits_for_a_task_that_was_given_up(tmp_path: Path) -> None:
    """Two tasks never write at the same time."""
    path, done = tmp_path / "sent", threading.Event()
    with path.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        writer = threading.Thread(target=lambda: (list(hand_over(path, SENT)), done.set()))
        writer.start()
        assert not done.wait(0.3)
    writer.join(10)
    assert done.is_set()


def test_a_full_disk() -> None:
    """The error is the system's: a search says that the disk is full, and can go on."""
    with pytest.raises(OSError, match="No space left on device"):
        list(hand_over(Path("/dev/full"), SENT))


@pytest.mark.parametrize("spread", [0, 1000])
def test_who_hands_over(
    tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch, spread: int
) -> None:
    """Tasks on this machine do, in one file each; the driver's own levels do not need it."""
    seen: list[bool] = []
    monkeypatch.setattr(Session, "spread", spread)
    monkeypatch.setattr(
        "specmodel.engines.spark.search.Expand",
        lambda *given: seen.append(given[3]) or Expand(*given),
    )
    check(design_of(tmp_path, LINE))
    assert set(seen) == {spread == 0}
