"""A real cluster as a stage: brokers 1 and 2 hold the partition, broker 3 is the controller.

What the cluster cannot make happen exactly:

- A follower replicates by itself. The others are paused before a record is written, so that they do
  not get the record, and go on at their next step.
- A follower leaves the ISR by being paused until the controller has given it up.
- A leader fails by being killed. `fail_over` and `elect_unclean` wait until the controller has
  elected the broker, which takes about 5 s.
- A client crashes by being killed, and is started anew.
- When a client learns of an election, and when it validates, is up to the cluster and the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from specmodel.conformance.kafka.nodes import CONTROLLER, unsupported
from specmodel.conformance.kafka.operating import TOPIC, OperatedCluster
from specmodel.conformance.kafka.stage import CRASH, NEXT, SAVE
from specmodel.conformance.protocol import Stage, StageFailed
from specmodel.results import Step

WITHOUT_SESSIONS = {"max.incremental.fetch.session.cache.slots": "0"}
WITHOUT_ELR = ("eligible.leader.replicas.version=0",)


class ClusterStage(Stage):
    """A cluster of a released version.

    `written(step, after)` gives the broker of a write and the record's value, `broker(step)` the
    broker that a step elects, gives up or lets fetch, `replicas(state)` the nodes that hold the
    partition. `home` is the folder of an unpacked release, in place of a version; `min_insync` is
    min.insync.replicas of the topic, `elr` whether the controller keeps eligible leader replicas,
    `on`, or `off` (from 4.0 on); `sessions` whether brokers have fetch sessions; `acks` who has to
    have a record before it is acknowledged, `1` or `all`.
    """

    def __init__(
        self,
        release: str,
        written: Callable[[Step, Any], tuple[int, str]],
        broker: Callable[[Step], int],
        replicas: Callable[[Any], Sequence[int]],
        home: str = "",
        min_insync: str = "1",
        elr: str = "on",
        sessions: str = "on",
        acks: str = "1",
    ) -> None:
        super().__init__()
        self.release_version, self.home = release, home
        self.written, self.broker, self.replicas = written, broker, replicas
        self.cluster = OperatedCluster(
            release,
            home=home,
            features=WITHOUT_ELR if elr == "off" else (),
            nodes=WITHOUT_SESSIONS if sessions == "off" else {},
            unclean_leader_election_enable="true",
            acks=acks,
            min_insync_replicas=min_insync,
        )

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
        return {"bootstrap": self.cluster.address(CONTROLLER), "topic": TOPIC}

    async def open(self, state: Any) -> None:
        """Starts the cluster, and creates the topic with r1 as the leader."""
        self.cluster.replicas = self.replicas(state)
        await self.cluster.open()
        self.note({"stage": "r1 leads, all in the ISR"})

    async def perform(self, step: Step, before: Any, after: Any) -> None:
        """Writes, elections."""
        if step.action == "write":
            node, value = self.written(step, after)
            await self.cluster.write(node, value, alone=True)
        elif step.action in ("fail_over", "elect_unclean"):
            clean = step.action == "fail_over"
            await self.cluster.lead_by(self.broker(step), clean=clean)
        elif step.action == "replicate":
            await self.cluster.replicate(self.broker(step))
        elif step.action == "shrink_isr":
            await self.cluster.give_up(self.broker(step))
        elif step.action == CRASH:
            assert self.subject is not None
            await self.subject.restart(self)
        else:
            raise StageFailed(f"the cluster cannot make {step} happen")
        self.note({"step": str(step), "epochs": self.cluster.epochs()})

    async def allow(self, step: Step, before: Any, after: Any) -> None:
        """Clients do as they like, but for commits: the client is asked for one, and has to say
        that it has made it."""
        if step.action == SAVE:
            subject = self.subject
            assert subject is not None
            made = len(subject.events)
            await subject.tell({"commit": True})
            await self.cluster.until(lambda: any("committed" in e for e in subject.events[made:]))

    async def release(self, state: Any) -> None:
        """Writes one more record, and reads the whole log anew into the transcript."""
        if int(self.cluster.settings["min.insync.replicas"]) > 1:
            await self.cluster.start_all()  # nothing is readable before
        leader, _ = await self.cluster.leads()
        await self.cluster.write(leader, NEXT, alone=False)
        log = await asyncio.to_thread(self.cluster.log, NEXT)
        self.note({"log": log, "epochs": self.cluster.epochs()})

    async def close(self) -> None:
        """Kills all nodes, and removes their folder."""
        await self.cluster.close()
