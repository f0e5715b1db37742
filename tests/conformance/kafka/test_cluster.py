"""The cluster of released brokers: the finding once, and nothing left behind. CI runs it."""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.conformance import PlayedSubject, Stage, StageFailed
from specmodel.conformance.binding import read_binding
from specmodel.conformance.kafka import operating
from specmodel.conformance.kafka.cluster import ClusterStage
from specmodel.conformance.kafka.nodes import finished, free_ports, jars, unsupported
from specmodel.conformance.verdicts import Play
from specmodel.results import Step
from tests.conformance.test_programs import commands
from tests.docs.pages import ROOT
from tests.outside import PATIENCE, started, wait_for

BINDING = ROOT / "models/kafka/consumer/cluster_binding.py"


def two_replicas() -> ClusterStage:
    """A stage whose steps are all about broker 1."""
    return ClusterStage(
        "4.1.0", lambda step, after: (1, "m0"), lambda step: 1, lambda state: (1, 2)
    )


def skip_if_missing() -> None:
    """Skips a test where a cluster cannot be had."""
    missing = read_binding(BINDING).stages["cluster"]().missing()
    if missing:
        pytest.skip(f"no cluster: {missing}")


def test_the_finding() -> None:
    """On Kafka's released brokers, librdkafka goes on in silence after a record that is gone."""
    skip_if_missing()

    def played() -> Play:
        """The trace played once."""
        report = specmodel.conform(
            "consumer-end-offset",
            BINDING,
            subjects=["librdkafka"],
            traces=["no_silent_loss"],
            max_records=2,
            max_leader_epoch=2,
        )
        (play,) = report.plays
        return play

    play, tries = played(), 1
    while "has left the ISR" in play.reason and tries < 3:  # a busy machine was too late
        play, tries = played(), tries + 1
    assert play.outcome == "lost", play
    (log,) = (event["log"] for event in play.transcript if "log" in event)
    assert [value for _, _, value in log] == ["m0", "next"]
    given = [(e["offset"], e["value"]) for e in play.transcript if e["of"] == "subject"]
    assert given == [(0, "m1"), (1, "next")]


def folders() -> set[Path]:
    """The folders of clusters."""
    return set(Path(tempfile.gettempdir()).glob("specmodel-kafka-*"))


def test_nothing_is_left_of_a_cluster(tmp_path: Path) -> None:
    """After kill -9 of the player: no node, and no folder."""
    skip_if_missing()
    before = folders()
    words = ("conform", "consumer-end-offset", "--binding", BINDING, "--traces", "no_silent_loss")
    player = started(*words, "--subject", "librdkafka", folder=ROOT)

    def nodes() -> list[int]:
        new = [str(folder) for folder in folders() - before]
        return [pid for pid, line in commands() if any(n in word for n in new for word in line)]

    wait_for(lambda: len(nodes()) >= 6, player)  # three nodes, each with a keeper
    ours = folders() - before
    player.send_signal(signal.SIGKILL)
    player.communicate()
    until = time.monotonic() + PATIENCE
    while (nodes() or folders() & ours) and time.monotonic() < until:
        time.sleep(0.05)
    assert (nodes(), folders() & ours) == ([], set())


def test_what_a_cluster_cannot_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A step that no broker makes, a broker that never leads, a command that fails."""
    stage = ClusterStage(
        "4.1.0", lambda step, after: (1, "m0"), lambda step: 1, lambda state: (1, 2)
    )
    with pytest.raises(StageFailed, match=r"the cluster cannot make truncate\(\) happen"):
        asyncio.run(stage.perform(Step("truncate", {}), None, None))
    monkeypatch.setattr(operating, "READY_SECONDS", 0.3)

    def refused() -> bool:
        raise OSError("refused")

    with pytest.raises(StageFailed, match="was not ready within 0 s: refused"):
        asyncio.run(stage.cluster.until(refused))
    monkeypatch.setattr(stage.cluster, "leader", lambda: (1, [1]))
    with pytest.raises(StageFailed, match="r2 has left the ISR: this machine is too busy"):
        asyncio.run(stage.cluster.lead_by(2))
    with pytest.raises(StageFailed, match="`sh -c echo no; exit 3` failed: no"):
        asyncio.run(finished(["sh", "-c", "echo no; exit 3"], tmp_path))
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(StageFailed, match="there is no mvn to fetch Kafka's jars"):
        asyncio.run(jars("0.0.0"))


class _Full:
    """A producer whose broker takes nothing."""

    def produce(self, topic: str, value: bytes, partition: int, callback: Any) -> None:
        callback("the disk is full", None)

    def flush(self, seconds: float) -> int:
        return 0


def test_a_record_that_no_broker_takes() -> None:
    """The play ends with the broker's error."""
    stage = ClusterStage(
        "4.1.0", lambda step, after: (1, "m0"), lambda step: 1, lambda state: (1, 2)
    )
    stage.cluster._producers[1] = _Full()
    with pytest.raises(StageFailed, match=r"r1 did not take m0: .*the disk is full"):
        asyncio.run(stage.perform(Step("write", {}), None, None))


class _Slow(_Full):
    """A producer whose records are acknowledged only when a follower has gone on."""

    def __init__(self) -> None:
        self.unacknowledged = [1, 0]

    def produce(self, topic: str, value: bytes, partition: int, callback: Any) -> None:
        pass

    def flush(self, seconds: float) -> int:
        return self.unacknowledged.pop(0)


def test_a_record_that_waits_for_followers(monkeypatch: pytest.MonkeyPatch) -> None:
    """With acks=all, a record is not acknowledged before a follower has it, and has to be then."""
    monkeypatch.setattr(operating, "PAUSED_SECONDS", 0)
    monkeypatch.setattr(operating, "FETCH_SECONDS", 0)

    def writer(**unacknowledged: list[int]) -> operating.OperatedCluster:
        cluster = operating.OperatedCluster("4.1.0", acks="all")
        monkeypatch.setattr(cluster.nodes, "running", lambda: [1, 2])
        monkeypatch.setattr(cluster.nodes, "pause", lambda node: None)
        monkeypatch.setattr(cluster.nodes, "resume", lambda node: None)
        cluster._producers[1] = _Slow()
        vars(cluster._producers[1]).update(unacknowledged)
        return cluster

    async def run(cluster: operating.OperatedCluster) -> None:
        await cluster.write(1, "m0", alone=True)
        assert cluster.paused
        await cluster.replicate(2)
        assert not cluster.paused

    asyncio.run(run(writer()))
    with pytest.raises(StageFailed, match="r1 did not acknowledge m0"):
        asyncio.run(run(writer(unacknowledged=[1, 1])))
    with pytest.raises(StageFailed, match="r1 did not take m0: no answer"):
        asyncio.run(run(writer(unacknowledged=[0])))


class _Committing(PlayedSubject):
    """A client that commits when it is asked to, and may be started anew."""

    async def tell(self, message: Mapping[str, Any]) -> None:
        self.note({"asked": message})
        self.note({"committed": 1})

    async def restart(self, stage: Stage) -> None:
        self.note({"restarted": True})


def test_a_client_that_commits_and_crashes() -> None:
    """The client is asked to commit, has to say that it has, and is started anew."""

    async def run() -> list[Any]:
        stage, client = two_replicas(), _Committing()
        stage.subject = client
        await stage.allow(Step("save_offset", {}), None, None)
        await stage.allow(Step("fetch", {}), None, None)
        await stage.perform(Step("crash", {}), None, None)
        return [{k: v for k, v in event.items() if k != "at"} for event in client.events]

    expected = [{"asked": {"commit": True}}, {"committed": 1}, {"restarted": True}]
    assert asyncio.run(run()) == expected


def test_free_ports() -> None:
    """No port is given twice."""
    assert len(set(free_ports(5))) == 5


def test_what_a_cluster_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs that are not there are named, and the command is refused with them."""
    monkeypatch.setenv("PATH", "/nowhere")
    assert unsupported() == "there is no java and no mvn"
    monkeypatch.undo()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "Linux" in unsupported() or unsupported().startswith("there is no")
