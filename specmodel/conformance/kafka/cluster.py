"""A real cluster as a stage: brokers 1 and 2 hold the partition, broker 3 is the controller.

What the cluster cannot make happen exactly:

- A follower replicates by itself. The other broker is paused before a record is written, so that it
  does not get the record, and goes on at its next step.
- A leader fails by being killed. `fail_over` and `elect_unclean` wait until the controller has
  elected the broker, which takes about 5 s.
- When a client learns of an election, and when it validates, is up to the cluster and the client.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from specmodel.conformance.kafka.nodes import CONTROLLER, KafkaNodes, unsupported
from specmodel.conformance.kafka.stage import NEXT
from specmodel.conformance.protocol import Stage, StageFailed
from specmodel.results import Step

TOPIC = "t"
REPLICAS = (1, 2)

PAUSED_SECONDS = 1.2
"""Longer than replica.fetch.wait.max.ms (0.5 s): no fetch of a paused broker is waiting at the
leader. Shorter than the session timeout (4 s)."""

READY_SECONDS = 90.0
"""The longest time for the cluster to start, and for an election."""

QUIET = {"log_level": 0, "log.connection.close": False}


class ClusterStage(Stage):
    """A cluster of a released version. `written(step, after)` gives the broker of a write and the
    record's value, `broker(step)` the broker that a step elects. `home` is the folder of an
    unpacked release, in place of a version."""

    def __init__(
        self,
        release: str,
        written: Callable[[Step, Any], tuple[int, str]],
        broker: Callable[[Step], int],
        home: str = "",
    ) -> None:
        super().__init__()
        self.release_version = release
        self.written, self.broker = written, broker
        self.home = home
        self.nodes = KafkaNodes(release, home=home)
        self._admin: Any = None
        self._producers: dict[int, Any] = {}
        self._paused: set[int] = set()

    def missing(self) -> str:
        """Whether Java, Maven and confluent-kafka are there."""
        try:
            version("confluent-kafka")
        except PackageNotFoundError:
            return "it needs confluent-kafka: pip install 'specmodel[conformance]'"
        return unsupported(self.home)

    def version(self) -> str:
        """The version of the brokers."""
        return f"Apache Kafka {Path(self.home).name if self.home else self.release_version}"

    def offers(self) -> Mapping[str, Any]:
        """The address of the broker that stays up."""
        return {"bootstrap": self._address(CONTROLLER), "topic": TOPIC}

    async def open(self, state: Any) -> None:
        """Starts the cluster, and creates the topic with r1 as the leader."""
        from confluent_kafka.admin import AdminClient  # an extra
        from confluent_kafka.cimpl import NewTopic  # an extra

        await self.nodes.open()
        self._admin = AdminClient({"bootstrap.servers": self._address(CONTROLLER), **QUIET})
        await self._until(lambda: len(self._metadata().brokers) == len(self.nodes.brokers))
        settings = {"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}
        topic = NewTopic(
            TOPIC, num_partitions=1, replica_assignment=[list(REPLICAS)], config=settings
        )
        await asyncio.to_thread(lambda: self._admin.create_topics([topic])[TOPIC].result(30))
        await self._until(lambda: self._leader() == (1, sorted(REPLICAS)))
        self.note({"stage": "r1 leads, both in the ISR"})
        await self._producer(1)

    async def perform(self, step: Step, before: Any, after: Any) -> None:
        """Writes, elections."""
        if step.action == "write":
            await self._write(*self.written(step, after))
        elif step.action in ("fail_over", "elect_unclean"):
            await self._elect(self.broker(step))
        else:
            raise StageFailed(f"the cluster cannot make {step} happen")
        self.note({"step": str(step), "epochs": self._epochs()})

    async def release(self, state: Any) -> None:
        """Writes one more record, and reads the whole log anew into the transcript."""
        leaders: list[int] = []
        await self._until(lambda: not leaders.append(self._leader()[0]))
        await self._write(leaders[-1], NEXT, alone=False)
        self.note({"log": await asyncio.to_thread(self._log), "epochs": self._epochs()})

    async def close(self) -> None:
        """Kills all nodes, and removes their folder."""
        self._producers.clear()
        self._admin = None
        await self.nodes.close()

    def _address(self, node: int) -> str:
        return f"127.0.0.1:{self.nodes.ports[node]}"

    def _metadata(self) -> Any:
        return self._admin.list_topics(timeout=3)

    def _leader(self) -> tuple[int, list[int]]:
        """The leader of the partition, and the ISR."""
        partition = self._metadata().topics[TOPIC].partitions[0]
        return partition.leader, sorted(partition.isrs)

    async def _producer(self, node: int) -> Any:
        """A producer that has its metadata: it asks for none while a broker is paused."""
        if node not in self._producers:
            from confluent_kafka import Producer  # an extra

            made = Producer(
                {"bootstrap.servers": self._address(node), "acks": 1, "linger.ms": 0, **QUIET}
            )
            await asyncio.to_thread(made.list_topics, TOPIC, 10)
            self._producers[node] = made
        return self._producers[node]

    async def _write(self, node: int, value: str, alone: bool = True) -> None:
        """Appends a record to a leader; `alone`: the other broker does not get it yet."""
        producer = await self._producer(node)
        others = [n for n in REPLICAS if n != node and n in self.nodes.running()]
        for other in others if alone else ():
            if other not in self._paused:
                self.nodes.pause(other)
                self._paused.add(other)
                await asyncio.sleep(PAUSED_SECONDS)
        failures: list[str] = []

        def told(error: Any, message: Any) -> None:
            if error is not None:
                failures.append(str(error))

        producer.produce(TOPIC, value.encode(), partition=0, callback=told)
        left = await asyncio.to_thread(producer.flush, 20)
        if left or failures:
            raise StageFailed(f"r{node} did not take {value}: {failures or 'no answer'}")

    async def _elect(self, node: int) -> None:
        """Kills the leader, and waits until a broker leads: it is started, or goes on."""
        for other in REPLICAS:
            if other != node and other in self.nodes.running():
                await self.nodes.kill(other)
                self._producers.pop(other, None)
        if node not in self.nodes.running():
            await self.nodes.start(node)
        elif node in self._paused:
            self.nodes.resume(node)
        self._paused.clear()
        await self._until(lambda: self._leader()[0] == node)
        await self._producer(node)

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Waits for something to be so; errors of a cluster that starts do not count."""
        end, last = time.monotonic() + READY_SECONDS, ""
        while time.monotonic() < end:
            try:
                if await asyncio.to_thread(condition):
                    return
            except Exception as wrong:
                last = str(wrong)
            await asyncio.sleep(0.1)
        raise StageFailed(f"the cluster was not ready within {READY_SECONDS:.0f} s: {last}")

    def _epochs(self) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for node in REPLICAS:
            try:
                found[f"r{node}"] = self.nodes.epochs(node, TOPIC)
            except OSError:
                found[f"r{node}"] = []
        return found

    def _log(self) -> list[Any]:
        """The log as a new consumer reads it: offset, leader epoch, value."""
        from confluent_kafka import Consumer, TopicPartition  # an extra

        reader = Consumer(
            {"bootstrap.servers": self._address(CONTROLLER), "group.id": "reader", **QUIET}
        )
        reader.assign([TopicPartition(TOPIC, 0, 0)])
        found: list[Any] = []
        end = time.monotonic() + 5
        while time.monotonic() < end and not (found and found[-1][2] == NEXT):
            message: Any = reader.poll(0.2)
            if message is not None and message.error() is None:
                value = message.value().decode()
                found.append([message.offset(), message.leader_epoch(), value])
        reader.close()
        return found
