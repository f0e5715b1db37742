"""The cluster of released brokers: the finding once, and nothing left behind. CI runs it."""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.conformance import StageFailed
from specmodel.conformance.binding import read_binding
from specmodel.conformance.kafka import operating
from specmodel.conformance.kafka.cluster import ClusterStage
from specmodel.conformance.kafka.nodes import finished, free_ports, jars, unsupported
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
    report = specmodel.conform(
        "consumer-end-offset",
        BINDING,
        subjects=["librdkafka"],
        traces=["no_silent_loss"],
        max_records=2,
        max_leader_epoch=2,
    )
    (play,) = report.plays
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
