"""Stages of tasks, one task for each shard, which Spark runs, and the items that tasks exchange.

Partition k of every stage works on shard k. The output of a stage goes through Spark's shuffle
unchanged: Spark sees numbers of shards and bytes. A small cached dataset with the same partitions,
the homes, is joined to every exchange. Spark runs a task where its home is cached if it can, so a
shard stays on the machine that has its table. If there is one machine only, tasks hand what is
large to each other in files of a folder, and Spark sees where it is.
"""

from __future__ import annotations

import importlib
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from specmodel.engines.spark.handover import Handed, hand_over
from specmodel.engines.spark.session import Session
from specmodel.errors import SpecmodelError

Stage = Callable[[int, Iterable[Any]], Iterator[tuple[int, Any]]]
"""A task's work: from a shard and the items for it to items and the shards that they are for."""


class Exchange:
    """Runs stages for a number of shards. One thread at a time may use it."""

    def __init__(self, session: Session, shards: int) -> None:
        self.session = session
        self.shards = shards
        self._context = session.context
        self._folder = _folder(session.tables or tempfile.gettempdir()) if session.local else None
        self._homes = self._at_home()

    def close(self) -> None:
        """Lets Spark forget the homes of the shards, and removes what was handed over."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._homes.unpersist(False)

    def run(self, stages: Sequence[Stage], group: str, description: str) -> list[Any]:
        """The output of the last of some stages; the first stage has no input.

        `group` is the name for `cancel`. Raises the errors of Spark, and SpecmodelError if its Java
        ends while it hands over the output.
        """
        self._context.setJobGroup(group, description, interruptOnCancel=False)
        items = self._items(self._homes)
        for number, stage in enumerate(stages[:-1]):
            files = self._folder and self._folder / f"stage-{number}"
            items = self._items(self._sent(items, stage, files).union(self._homes))
        found = items.mapPartitionsWithIndex(partial(_output, stages[-1])).collect()
        if len(found) != self.shards:
            raise SpecmodelError(f"Spark gave the output of {len(found)} of {self.shards} tasks")
        return [item for output in found for item in output]

    def cancel(self, group: str) -> None:
        """Ends the jobs of a group, from any thread."""
        self._context.cancelJobGroup(group)

    def left(self) -> float:
        """The part of the running stages that remains to be done, from 0 to 1."""
        tracker = self._context.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        tasks = sum(stage.numTasks for stage in stages if stage)
        done = sum(stage.numCompletedTasks for stage in stages if stage)
        return 1 - done / tasks if tasks else 0.0

    def _at_home(self) -> Any:
        pairs = self._sent(self._context.parallelize(range(self.shards), self.shards), _mark_home)
        level = self._context._jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
        return pairs.persist(level)

    def _sent(self, items: Any, stage: Stage, files: Path | None = None) -> Any:
        """The output of a stage, with the partitions it is for: pairs, as Java has them. `files` is
        the folder in which it is handed over.
        """
        framed = items.mapPartitionsWithIndex(partial(_framed, stage, files))
        framed._bypass_serializer = True
        jvm = self._context._jvm
        pairs = jvm.PairwiseRDD(framed._jrdd.rdd()).asJavaPairRDD()
        return pairs.partitionBy(jvm.PythonPartitioner(self.shards, 0))

    def _items(self, pairs: Any) -> Any:
        rdd: Any = importlib.import_module("pyspark.core.rdd")
        values = self._context._jvm.PythonRDD.valueOfPair(pairs)
        return rdd.RDD(values, self._context, WholeStream())


END_OF_DATA = -1
"""What Spark sends for a length after the last item (SpecialLengths in pyspark/serializers.py)."""


class WholeStream:
    """Reads what Spark sends to a task, lists of items, to the end.

    Spark's own classes take a connection that breaks for the end. It breaks when an executor is
    killed, and when the output of a lost machine cannot be fetched. The task would go on with the
    items that it has, and log a part of its states as if they were all.
    """

    def load_stream(self, stream: BinaryIO) -> Iterator[Any]:
        """The items. Raises SpecmodelError if the stream ends before Spark says so."""
        while (length := int.from_bytes(_whole(stream, 4), "big", signed=True)) != END_OF_DATA:
            yield from pickle.loads(_whole(stream, length))


def _whole(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise SpecmodelError("the input of a task ended early: Spark does the task again")
    return content


def _folder(within: str) -> Path:
    """A new folder for what is handed over."""
    Path(within).mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="specmodel-sent-", dir=within))


def run_here(stages: Sequence[Stage], shards: int) -> list[Any]:
    """The output of the last of some stages, which this process runs without Spark, one task after
    the other; the first stage has no input.
    """
    items: dict[int, list[Any]] = {}
    for stage in stages:
        sent: dict[int, list[Any]] = {}
        for shard in range(shards):
            for to, item in stage(shard, items.get(shard, ())):
                sent.setdefault(to, []).append(item)
        items = sent
    return [item for some in items.values() for item in some]


def _framed(stage: Stage, files: Path | None, shard: int, items: Iterable[Any]) -> Iterator[bytes]:
    """The output of a stage as bytes to Spark, each item after the number of its shard."""
    serializers: Any = importlib.import_module("pyspark.serializers")
    dumps = serializers.CPickleSerializer().dumps
    sent = _given(stage, shard, items)
    for to, item in sent if files is None else hand_over(files / f"shard-{shard:05}", sent):
        yield serializers.pack_long(to)
        yield dumps([item])


def _output(stage: Stage, shard: int, items: Iterable[Any]) -> Iterator[list[Any]]:
    """The output of a stage without the shards that the items are for, as one list: the driver sees
    whether it has one of each task.
    """
    yield [item for _, item in _given(stage, shard, items)]


def _given(stage: Stage, shard: int, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """The output of a stage for items, without the marks of homes."""
    rest = iter(items)
    yield from stage(shard, _received(rest))
    for _ in rest:
        pass  # Spark ends a worker that does not read all of its input


def _received(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        if isinstance(item, Handed):
            yield from item.read()
        elif item is not None:
            yield item


def _mark_home(shard: int, items: Iterable[Any]) -> Iterator[tuple[int, None]]:
    yield shard, None
