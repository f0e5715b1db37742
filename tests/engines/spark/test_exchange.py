"""What a task reads is whole, or the task fails: it never takes a part for all."""

from __future__ import annotations

import importlib
import io
import pickle
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from specmodel.engines.spark.exchange import Exchange, WholeStream
from specmodel.engines.spark.session import session
from specmodel.errors import SpecmodelError

SHARDS, ITEMS = 2, 40


def test_streams_that_end_early() -> None:
    """At any byte before Spark's mark of the end."""
    lists = [["first", None], [b"second" * 9]]
    framed = b""
    for held in map(pickle.dumps, lists):
        framed += len(held).to_bytes(4, "big") + held
    framed += (-1).to_bytes(4, "big", signed=True)
    assert list(WholeStream().load_stream(io.BytesIO(framed))) == sum(lists, list[Any]())
    for length in range(len(framed)):
        with pytest.raises(SpecmodelError, match="ended early"):
            list(WholeStream().load_stream(io.BytesIO(framed[:length])))


def test_what_was_sent_is_lost(running: None, tmp_path: Path) -> None:
    """Spark does the tasks again; none goes on with what it had read by then."""

    def send(shard: int, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        """More for each shard than a connection holds."""
        for number in range(ITEMS):
            for to in range(SHARDS):
                yield to, bytes([shard, number]) * 200_000

    def lose(shard: int, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        """Removes what is sent, once, while it is read. Notes how much was read."""
        rest = iter(items)
        read = len(next(rest)) > 0
        if not (tmp_path / "lost").exists():
            (tmp_path / "lost").touch()
            for file in folder.rglob("shuffle_*.data"):
                file.unlink()
        read += sum(1 for _ in rest)
        (tmp_path / f"{shard}-{uuid.uuid4().hex}").write_text(str(read))
        yield shard, read

    found = session(None, SHARDS)
    folder = Path(found.context.getConf().get("spark.local.dir"))
    exchange = Exchange(found, SHARDS)
    exchange._folder = None  # as on a cluster: Spark carries all
    try:
        read = exchange.run([send, lose], "lost", "lost")
    finally:
        exchange.close()
    assert (tmp_path / "lost").exists()
    assert read == [SHARDS * ITEMS] * SHARDS
    assert {file.read_text() for file in tmp_path.glob("*-*")} == {str(SHARDS * ITEMS)}


def test_the_driver_gets_a_part(running: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's Java ends while it hands over the output: the driver does not take a part for all."""
    exchange = Exchange(session(None, SHARDS), SHARDS)
    rdd: Any = importlib.import_module("pyspark.core.rdd")
    collect = rdd.RDD.collect

    def give(shard: int, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        yield shard, shard

    try:
        assert exchange.run([give], "whole", "whole") == [0, 1]
        monkeypatch.setattr(rdd.RDD, "collect", lambda self: collect(self)[:-1])
        with pytest.raises(SpecmodelError, match="the output of 1 of 2 tasks"):
            exchange.run([give], "part", "part")
    finally:
        exchange.close()
