"""Random loads on a real cluster: what is read of the brokers' logs, and what it is held to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.conformance import StageFailed
from specmodel.conformance.kafka.__main__ import main as write_page
from specmodel.conformance.kafka.codec import record_batches
from specmodel.conformance.kafka.commands import exit_code
from specmodel.conformance.kafka.load import BINDING, BOUNDS, RandomLoad, main, read_segment
from specmodel.conformance.kafka.operating import OperatedCluster
from specmodel.conformance.kafka.partition import LogEntry
from tests.conformance.kafka.test_cluster import skip_if_missing

Records = Sequence[tuple[str, int]]

SMALL: dict[str, Any] = {"replicas": 2, "log_size": 3, "max_records": 4, "max_leader_epoch": 2}


def segment(records: Records) -> bytes:
    """The bytes of a segment with these records."""
    return record_batches([LogEntry(epoch, value) for value, epoch in records], 0)


def test_a_segment(tmp_path: Path) -> None:
    """Values and epochs of whole batches; what is half written is left out; no file is empty."""
    file = tmp_path / "0.log"
    assert read_segment(file) == []
    records = [("m0", 0), ("m1", 0), ("m4", 3)]
    data = segment(records)
    file.write_bytes(data)
    assert read_segment(file) == records
    file.write_bytes(data[:-1])
    assert read_segment(file) == records[:2]
    file.write_bytes(data[: len(data) // 3 + 5])
    assert read_segment(file) == records[:1]
    file.write_bytes(b"")
    assert read_segment(file) == []


def shrink(replica: str) -> dict[str, str]:
    """The controller gives a broker up."""
    return {"event": "controller_shrink", "replica": replica}


def elect(leader: str) -> dict[str, str]:
    """The controller elects a broker."""
    return {"event": "controller_elect", "leader": leader}


def reading(replica: str, *records: tuple[str, int]) -> dict[str, Any]:
    """A log, as it is read."""
    return {"event": "log", f"log {replica}": [list(record) for record in records]}


M0, M1, M2, M3 = ("m0", 0), ("m1", 0), ("m2", 1), ("m3", 2)

FAIL_OVER = [
    elect("r1"),
    reading("r1", M0),
    reading("r2", M0),
    reading("r1", M0, M1),
    {"event": "does", "what": "fail over"},
    shrink("r1"),
    elect("r2"),
    reading("r2", M0, M2),
]
"""r1 has m1 for itself when r2 is elected and writes m2 in its place."""

LOADS: Mapping[str, tuple[Sequence[Mapping[str, Any]], int | None]] = {
    "truncated, then fetched": (
        [*FAIL_OVER, reading("r1", M0), reading("r1", M0, M2)],
        None,
    ),
    "ends where the load failed": (
        [*FAIL_OVER, {"event": "failed", "why": "no answer"}, reading("r1", M2)],
        None,
    ),
    "fetched without truncation": ([*FAIL_OVER, reading("r1", M0, M1, M2)], 7),
    "a record of another leader epoch": ([*FAIL_OVER, reading("r2", M0, ("m2", 0))], 7),
    "a record that is replicated is gone": ([*FAIL_OVER, reading("r2", M2)], 7),
    "a record that nobody wrote": ([*FAIL_OVER, reading("r2", M0, M2, ("m9", 1))], 7),
}
"""What a load reads, and the number of events that are a behaviour if not all are."""


@pytest.mark.parametrize("design", ["kip595", "kip320"])
@pytest.mark.parametrize("load", LOADS)
def test_what_brokers_may_do(design: str, load: str, tmp_path: Path) -> None:
    """A log that no broker of the design would have is found at the first change to it."""
    events, matched = LOADS[load]
    file = tmp_path / "load.jsonl"
    file.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    found = specmodel.validate(design, file, BINDING, **SMALL)
    assert (None if found.verdict == "passed" else found.matched) == matched


class _Brokers(OperatedCluster):
    """A cluster without Kafka: its leader appends to a file, and the other has the same."""

    def __init__(self, folder: Path, fails_at: str = "") -> None:
        super().__init__("0.0.0")
        self.nodes.folder = folder
        self.fails_at = fails_at
        self.records: list[tuple[str, int]] = []
        self.lead, self.in_sync, self.up = 1, [1, 2], {1, 2, 3}
        self.closed = False

    async def open(self) -> None:
        for node in (1, 2):
            (self.nodes.folder / f"data{node}" / "t-0").mkdir(parents=True)
        self.nodes.running = lambda: sorted(self.up)  # type: ignore[method-assign]
        self.nodes.start = self._start  # type: ignore[method-assign]

    async def close(self) -> None:
        self.closed = True

    def leader(self) -> tuple[int, list[int]]:
        return self.lead, self.in_sync

    async def write(self, node: int, value: str, *, alone: bool) -> None:
        if value == self.fails_at:
            raise StageFailed("no answer")
        assert node == self.lead
        self.records.append((value, 0))
        for place in self.in_sync:
            file = self.nodes.folder / f"data{place}" / "t-0" / f"{0:020}.log"
            file.write_bytes(segment(self.records))
        await asyncio.sleep(0.1)

    async def lead_by(self, node: int, *, clean: bool = True) -> None:
        self.up.discard(self.lead)
        self.lead, self.in_sync = node, [node]

    async def prefer_first(self) -> None:
        self.lead = 1

    async def _start(self, node: int) -> None:
        self.up.add(node)
        self.in_sync = [1, 2]


@pytest.mark.parametrize("fails_at", ["", "m2"])
def test_a_load(tmp_path: Path, fails_at: str) -> None:
    """It ends when a log is full, or something fails; each election is noted before it is made, and
    the cluster is closed."""
    cluster = _Brokers(tmp_path, fails_at)
    load = RandomLoad(cluster, 60, seed=3, pause=0.02)
    asyncio.run(load.run())
    kinds = [event["event"] for event in load.events]
    assert kinds[0] == "controller_elect"
    assert ("failed" in kinds) == bool(fails_at)
    assert cluster.closed
    logs = [event["log r1"] for event in load.events if "log r1" in event]
    assert len(logs[-1]) == (2 if fails_at else BOUNDS["log_size"])
    done = [event["what"] for event in load.events if event["event"] == "does"]
    assert kinds.count("controller_elect") == 1 + done.count("fail over") + done.count("elect")
    assert kinds.count("controller_shrink") == done.count("fail over")


@pytest.mark.parametrize(
    ("command", "words", "said"),
    [
        (main, ["{}/loads", "--design", "kip59"], 'no design is called "kip59"'),
        (main, ["{}/file/loads"], "cannot write loads to"),
        (write_page, ["{}/nowhere/page.md"], "cannot write"),
    ],
)
def test_mistakes_are_messages(
    command: Callable[[Sequence[str]], int],
    words: Sequence[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A wrong name or place is said before anything is played, without a traceback."""
    (tmp_path / "file").touch()
    assert exit_code(command, [word.replace("{}", str(tmp_path)) for word in words]) == 2
    assert capsys.readouterr().err.startswith(f"error: {said}")


def test_loads_on_released_brokers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What Kafka's brokers do to their logs under four random loads is a behaviour of KIP-595."""
    skip_if_missing()
    words = ("--runs", "4", "--seconds", "12", "--seed", "1", "--design", "kip595")
    code = main([str(tmp_path), *words])
    said = capsys.readouterr().out
    assert code == 0, said
    assert said.count("changes are kip595") == 4
    changes = [json.loads(line) for file in tmp_path.iterdir() for line in file.open()]
    assert sum(event["event"] == "log" for event in changes) >= 8
