"""What is done to a real cluster: its topic is created, written to and read, leaders change.

Brokers 1 and 2 hold the only partition, and broker 4 if it has three replicas. Broker 3 is the
controller and keeps clients in touch.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from specmodel.conformance.kafka.nodes import CONTROLLER, KafkaNodes
from specmodel.conformance.protocol import StageFailed

TOPIC = "t"
REPLICAS = (1, 2)

FETCH_SECONDS = 1.0
"""The time in which a follower that goes on has fetched what there is."""

PAUSED_SECONDS = 1.2
"""Longer than replica.fetch.wait.max.ms (0.5 s): no fetch of a paused broker is waiting at the
leader. Shorter than the session timeout (4 s)."""

SENT_SECONDS = 1.0
"""The time in which a leader has a record that it cannot acknowledge yet."""

READY_SECONDS = 90.0
"""The longest time for the cluster to start, and for an election."""

OFFSETS, COMPACTED = "__consumer_offsets", {"cleanup.policy": "compact"}
"""The topic of committed offsets stays on the broker that stays up."""

QUIET = {"log_level": 0, "log.connection.close": False}


class OperatedCluster:
    """A cluster of a released version, with its topic. Errors are raised as StageFailed.

    `replicas` are the nodes that hold the partition: they may be set before it is opened.
    """

    def __init__(
        self,
        release: str,
        *,
        home: str = "",
        features: Sequence[str] = (),
        nodes: Mapping[str, str] | None = None,
        acks: str = "1",
        **settings: str,
    ) -> None:
        """`home` is the folder of an unpacked release, in place of a version. `settings` are those
        of the topic, with `_` for `.`, and `nodes` those of the brokers. With `acks` "all", records
        are acknowledged once their followers go on."""
        self.acks = acks
        self.nodes = KafkaNodes(release, home=home, features=features, settings=nodes)
        self.replicas: Sequence[int] = REPLICAS
        self.settings = {name.replace("_", "."): value for name, value in settings.items()}
        self._admin: Any = None
        self._producers: dict[int, Any] = {}
        self._waiting: tuple[int, str] | None = None
        self._paused: set[int] = set()

    @property
    def paused(self) -> bool:
        """Whether a broker is paused."""
        return bool(self._paused)

    async def open(self) -> None:
        """Starts the cluster, and creates the topic with broker 1 as the leader."""
        from confluent_kafka.admin import AdminClient  # an extra
        from confluent_kafka.cimpl import NewTopic  # an extra

        self.nodes.brokers = sorted({*self.replicas, CONTROLLER})
        await self.nodes.open()
        self._admin = AdminClient({"bootstrap.servers": self.address(CONTROLLER), **QUIET})
        await self.until(lambda: len(self._metadata().brokers) == len(self.nodes.brokers))
        places: dict[str, tuple[list[int], Mapping[str, str]]] = {
            TOPIC: (list(self.replicas), self.settings),
            OFFSETS: ([CONTROLLER], COMPACTED),
        }
        topics = [
            NewTopic(name, num_partitions=1, replica_assignment=[replicas], config=dict(config))
            for name, (replicas, config) in places.items()
        ]
        for made in self._admin.create_topics(topics).values():
            await asyncio.to_thread(made.result, 30)
        await self.until(lambda: self.leader() == (1, sorted(self.replicas)))
        await self.producer(1)

    async def close(self) -> None:
        """Kills all nodes, and removes their folder."""
        self._producers.clear()
        self._admin = None
        await self.nodes.close()

    def address(self, node: int) -> str:
        """Where a node listens."""
        return f"127.0.0.1:{self.nodes.ports[node]}"

    def leader(self) -> tuple[int, list[int]]:
        """The leader of the partition (-1: none), and the ISR, as broker 3 has them."""
        partition = self._metadata().topics[TOPIC].partitions[0]
        return partition.leader, sorted(partition.isrs)

    async def leads(self) -> tuple[int, list[int]]:
        """The same, asked until broker 3 answers: a busy machine lets a request time out."""
        found: list[tuple[int, list[int]]] = []
        await self.until(lambda: not found.append(self.leader()))
        return found[-1]

    async def producer(self, node: int) -> Any:
        """A producer that has its metadata: it asks for none while a broker is paused."""
        if node not in self._producers:
            from confluent_kafka import Producer  # an extra

            made = Producer(
                {
                    "bootstrap.servers": self.address(node),
                    "acks": self.acks,
                    "linger.ms": 0,
                    **QUIET,
                }
            )
            await asyncio.to_thread(made.list_topics, TOPIC, 10)
            self._producers[node] = made
        return self._producers[node]

    async def write(self, node: int, value: str, *, alone: bool) -> None:
        """Appends a record to a leader; `alone`: the other broker is paused, and does not get it
        until it goes on."""
        producer = await self.producer(node)
        others = {n for n in self.replicas if n != node and n in self.nodes.running()}
        others -= self._paused
        for other in others if alone else ():
            self.nodes.pause(other)
            self._paused.add(other)
        if alone and others:
            await asyncio.sleep(PAUSED_SECONDS)
        failures: list[str] = []

        def told(error: Any, message: Any) -> None:
            if error is not None:
                failures.append(str(error))

        producer.produce(TOPIC, value.encode(), partition=0, callback=told)
        waits = alone and others and self.acks == "all"
        left = await asyncio.to_thread(producer.flush, SENT_SECONDS if waits else 20)
        if failures or bool(left) != bool(waits):
            raise StageFailed(f"r{node} did not take {value}: {failures or 'no answer'}")
        self._waiting = (node, value) if waits else None

    async def give_up(self, node: int) -> None:
        """Pauses a follower until the controller has taken it out of the ISR."""
        if node not in self._paused:
            self.nodes.pause(node)
            self._paused.add(node)
        await self.until(lambda: node not in self.leader()[1])

    async def replicate(self, node: int) -> None:
        """Lets a paused follower go on, and fetch what it lacks."""
        if node in self._paused:
            self.nodes.resume(node)
            self._paused.discard(node)
        await asyncio.sleep(FETCH_SECONDS)
        if self._waiting is not None:
            leader, value = self._waiting
            left = await asyncio.to_thread((await self.producer(leader)).flush, 20)
            self._waiting = None
            if left:
                raise StageFailed(f"r{leader} did not acknowledge {value}")

    def resume(self) -> None:
        """Lets paused brokers go on."""
        for node in self._paused:
            self.nodes.resume(node)
        self._paused.clear()

    async def kill(self, node: int) -> None:
        """Ends a broker as kill -9 does."""
        await self.nodes.kill(node)
        self._producers.pop(node, None)
        if self._waiting is not None and self._waiting[0] == node:
            self._waiting = None
        self._paused.discard(node)

    async def lead_by(self, node: int, *, clean: bool = True) -> None:
        """Kills the leader, and all others too unless the election is clean. Waits until a broker
        leads: it is started, or goes on.

        Raises StageFailed if a clean election cannot be: the broker was paused for so long, on a
        busy machine, that the controller has given it up.
        """
        leader, isr = await self.leads()
        # With more in-sync replicas required, a broker outside the ISR may be an eligible leader.
        isr_only = int(self.settings.get("min.insync.replicas", "1")) == 1
        if clean and isr_only and node not in isr:
            raise StageFailed(f"r{node} has left the ISR: this machine is too busy, play it again")
        for other in self.replicas:
            gone = other != node and (other == leader or not clean)
            if gone and other in self.nodes.running():
                await self.kill(other)
        if node not in self.nodes.running():
            await self.nodes.start(node)
        self.resume()
        await self.until(lambda: self.leader()[0] == node)
        await self.producer(node)

    async def start_all(self) -> None:
        """Starts the replicas that are not running, and waits until all are in the ISR."""
        self.resume()
        for node in self.replicas:
            if node not in self.nodes.running():
                await self.nodes.start(node)
        await self.until(lambda: len(self.leader()[1]) == len(self.replicas))

    async def prefer_first(self) -> None:
        """Asks the controller to have broker 1 lead, which is in the ISR."""
        from confluent_kafka import ElectionType, TopicPartition  # an extra

        wanted = [TopicPartition(TOPIC, 0)]
        made = self._admin.elect_leaders(ElectionType.PREFERRED, wanted)
        try:
            await asyncio.to_thread(made.result, 30)
        except TimeoutError:
            raise StageFailed("the controller did not answer a request for an election") from None
        await self.until(lambda: self.leader()[0] == 1)
        await self.producer(1)

    async def until(self, condition: Callable[[], bool]) -> None:
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

    def epochs(self) -> Mapping[str, Any]:
        """The leader epoch checkpoints of the brokers."""
        found: dict[str, Any] = {}
        for node in self.replicas:
            try:
                found[f"r{node}"] = self.nodes.epochs(node, TOPIC)
            except OSError:
                found[f"r{node}"] = []
        return found

    def log(self, last: str) -> list[Any]:
        """The log as a new consumer reads it, up to a value: offset, leader epoch, value."""
        from confluent_kafka import Consumer, TopicPartition  # an extra

        reader = Consumer(
            {"bootstrap.servers": self.address(CONTROLLER), "group.id": "reader", **QUIET}
        )
        reader.assign([TopicPartition(TOPIC, 0, 0)])
        found: list[Any] = []
        end = time.monotonic() + 5
        while time.monotonic() < end and not (found and found[-1][2] == last):
            message: Any = reader.poll(0.2)
            if message is not None and message.error() is None:
                value = message.value().decode()
                found.append([message.offset(), message.leader_epoch(), value])
        reader.close()
        return found

    def _metadata(self) -> Any:
        return self._admin.list_topics(timeout=3)
