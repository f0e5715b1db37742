"""What tasks of one machine hand over in files arrives whole, or the reader says why not."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.engines.spark.exchange import Exchange
from specmodel.engines.spark.handover import Handed, hand_over
from specmodel.engines.spark.session import Session
from specmodel.errors import SpecmodelError
from tests.engines.spark.conftest import Check

SENT = [(0, b"a" * 800), (1, b"b" * 2400), (0, "small"), (0, ["c" * 300, None])]


def read(found: list[tuple[int, Any]], shard: int) -> list[Any]:
    """What a shard is handed in files."""
    return [
        item
        for to, held in found
        if to == shard and isinstance(held, Handed)
        for item in held.read()
    ]


def test_each_shard_reads_its_own(tmp_path: Path) -> None:
    """In the order in which it was sent, bytes and others; small items take no place in a file."""
    found = list(hand_over(tmp_path / "stage" / "sent", SENT))
    assert read(found, 0) == [b"a" * 800, ["c" * 300, None]]
    assert read(found, 1) == [b"b" * 2400]
    assert found[0] == (0, "small")
    assert len(found) == 3
    assert list(hand_over(tmp_path / "none", [])) == []


def test_the_next_level_overwrites_it(tmp_path: Path) -> None:
    """Shorter content leaves a rest of the level before, which nobody reads; who still reads that
    level is told."""
    path = tmp_path / "sent"
    before = list(hand_over(path, SENT))
    after = list(hand_over(path, [(1, b"d" * 300)]))
    assert read(after, 1) == [b"d" * 300]
    with pytest.raises(SpecmodelError, match=r"sent was overwritten while it was read"):
        read(before, 0)


def test_it_is_overwritten_first(tmp_path: Path) -> None:
    """Who reads the level before is told before its content changes."""
    path = tmp_path / "sent"
    before = list(hand_over(path, SENT))
    later = hand_over(path, [(0, "small")])
    next(later)
    with pytest.raises(SpecmodelError, match="overwritten"):
        read(before, 0)


def test_a_short_file(tmp_path: Path) -> None:
    """An item that is not all there is no item."""
    path = tmp_path / "sent"
    found = list(hand_over(path, SENT))
    with path.open("rb+") as file:
        file.truncate(2000)
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


@pytest.mark.parametrize(("spread", "files"), [(0, 8), (100_000, 0)])
def test_who_hands_over(
    check: Check, monkeypatch: pytest.MonkeyPatch, spread: int, files: int
) -> None:
    """Tasks on this machine do, in a file for each stage, which is gone afterwards; levels of the
    driver do not need it."""
    seen: list[Path] = []
    close = Exchange.close

    def looked(self: Exchange) -> None:
        assert self._folder is not None
        seen.extend(file for file in self._folder.rglob("shard-*") if file.stat().st_size > 256)
        close(self)

    monkeypatch.setattr(Exchange, "close", looked)
    monkeypatch.setattr(Session, "spread", spread)
    assert check(load("kip320", replicas=2)).distinct == 5_973
    assert len(seen) == files
    assert not any(file.exists() for file in seen)
