"""Stages of tasks, one for each shard, and what they send each other, as Spark runs them.

Partition k of every stage has to do with shard k. What a stage gives goes through Spark's shuffle
as it is: Spark sees numbers of shards and bytes. A small cached dataset with the same partitions,
the homes, is joined to every exchange: Spark runs a task where its home is cached if it can,
so that a shard stays with the machine that has its table.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from specmodel.engines.spark.session import Session

Stage = Callable[[int, Iterable[Any]], Iterator[tuple[int, Any]]]
"""A task's work: from a shard and the items for it to items and the shards that they are for."""


class Exchange:
    """Runs stages for so many shards. One thread at a time."""

    def __init__(self, session: Session, shards: int) -> None:
        self.session = session
        self.shards = shards
        self._context = session.context
        self._homes = self._at_home()

    def close(self) -> None:
        """Lets Spark forget where shards are at home."""
        self._homes.unpersist(False)

    def run(self, stages: Sequence[Stage], group: str, description: str) -> list[Any]:
        """What the last of some stages gives; the first has nothing to take.

        `group` is what `cancel` is told. Raises what Spark raises.
        """
        self._context.setJobGroup(group, description, interruptOnCancel=False)
        items = self._items(self._homes)
        for stage in stages[:-1]:
            items = self._items(self._sent(items, stage).union(self._homes))
        return items.mapPartitionsWithIndex(partial(_unaddressed, stages[-1])).collect()

    def cancel(self, group: str) -> None:
        """Ends what is run under a name, from any thread."""
        self._context.cancelJobGroup(group)

    def left(self) -> float:
        """Which part of the stages that run just now is still to be done, from 0 to 1."""
        tracker = self._context.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        tasks = sum(stage.numTasks for stage in stages if stage)
        done = sum(stage.numCompletedTasks for stage in stages if stage)
        return 1 - done / tasks if tasks else 0.0

    def _at_home(self) -> Any:
        pairs = self._sent(self._context.parallelize(range(self.shards), self.shards), _mark_home)
        level = self._context._jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
        return pairs.persist(level)

    def _sent(self, items: Any, stage: Stage) -> Any:
        """What a stage gives, with the partitions it is for: pairs, as the Java side has them."""
        framed = items.mapPartitionsWithIndex(partial(_framed, stage))
        framed._bypass_serializer = True
        jvm = self._context._jvm
        pairs = jvm.PairwiseRDD(framed._jrdd.rdd()).asJavaPairRDD()
        return pairs.partitionBy(jvm.PythonPartitioner(self.shards, 0))

    def _items(self, pairs: Any) -> Any:
        rdd: Any = importlib.import_module("pyspark.core.rdd")
        serializers: Any = importlib.import_module("pyspark.serializers")
        values = self._context._jvm.PythonRDD.valueOfPair(pairs)
        plain = serializers.BatchedSerializer(serializers.CPickleSerializer())
        return rdd.RDD(values, self._context, plain)


def _framed(stage: Stage, shard: int, items: Iterable[Any]) -> Iterator[bytes]:
    """What a stage gives as bytes to Spark, each item after the number of its shard."""
    serializers: Any = importlib.import_module("pyspark.serializers")
    dumps = serializers.CPickleSerializer().dumps
    for to, item in _given(stage, shard, items):
        yield serializers.pack_long(to)
        yield dumps([item])


def _unaddressed(stage: Stage, shard: int, items: Iterable[Any]) -> Iterator[Any]:
    """What a stage gives without the shards that the items are for."""
    for _, item in _given(stage, shard, items):
        yield item


def _given(stage: Stage, shard: int, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """What a stage gives for items, of which the mark of a home is none."""
    rest = iter(items)
    yield from stage(shard, (item for item in rest if item is not None))
    for _ in rest:
        pass  # a worker that leaves some unread is ended


def _mark_home(shard: int, items: Iterable[Any]) -> Iterator[tuple[int, None]]:
    yield shard, None
