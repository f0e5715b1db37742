"""Random loads on a real cluster, each held to a replication design by the logs of its brokers.

    python -m specmodel.conformance.kafka.load FOLDER [--runs N] [--seconds N] [--seed N]
        [--kafka VERSION] [--design NAME]...

Records are written, brokers paused, killed and started, leaders elected at random. Meanwhile the
log of each broker is read from its segment file, and each change of it is a line of
FOLDER/load-SEED.jsonl. The exit code is 1 if a file is no behaviour of a design.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import struct
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from specmodel.conformance.kafka.codec import values_of_batches
from specmodel.conformance.kafka.commands import exit_code
from specmodel.conformance.kafka.operating import REPLICAS, TOPIC, OperatedCluster
from specmodel.conformance.logs.validation import LogValidator
from specmodel.conformance.protocol import Noticing, StageFailed
from specmodel.constants import Value
from specmodel.files import cannot
from specmodel.suite.catalog import shipped
from specmodel.suite.targets import load_target

BINDING = shipped() / "kafka" / "replication" / "readings_binding.py"

BOUNDS: Mapping[str, Value] = {
    "replicas": 2,
    "log_size": 6,
    "max_records": 12,
    "max_leader_epoch": 24,
}
"""Bounds that a load keeps: it ends when a log is full, and in 30 s there are few elections."""

DESIGNS = ("kip595", "kip320")

BETWEEN = 0.02
"""Seconds between two readings of the logs."""

HEAD = struct.Struct(">qii")
"""The first fields of a batch: its offset, the bytes after them but for the last, its epoch."""


def read_segment(file: Path) -> list[tuple[str, int]]:
    """The values and leader epochs of the records in a segment, without what is half written."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return []
    found: list[tuple[str, int]] = []
    while len(data) >= HEAD.size:
        _, length, epoch = HEAD.unpack_from(data)
        batch, data = data[: length + 12], data[length + 12 :]
        if length <= 0 or len(batch) < length + 12:
            break
        found += [(value, epoch) for value in values_of_batches(batch)]
    return found


class RandomLoad(Noticing):
    """Does things to a cluster at random, and notes how the logs of its brokers change.

    It waits for up to `pause` seconds between two things.
    """

    def __init__(
        self, cluster: OperatedCluster, seconds: float, seed: int, pause: float = 0.6
    ) -> None:
        super().__init__()
        self.cluster = cluster
        self.pause = pause
        self.seconds = seconds
        self.choose = random.Random(seed)
        self.logs: dict[int, list[tuple[str, int]]] = {node: [] for node in REPLICAS}
        self.isr = {*REPLICAS}
        self.written = 0

    async def run(self) -> None:
        """Opens the cluster, and closes it in the end."""
        try:
            await self.cluster.open()
            self._elects(1)
            reading = asyncio.create_task(self._read())
            end = time.monotonic() + self.seconds
            try:
                while time.monotonic() < end and not self._full():
                    await self._act()
                await asyncio.sleep(2 * self.pause)  # for a follower to fetch what it lacks
            except StageFailed as wrong:
                self.note({"event": "failed", "why": str(wrong)})
            finally:
                reading.cancel()
        finally:
            await self.cluster.close()

    def _full(self) -> bool:
        longest = max(len(log) for log in self.logs.values())
        return longest >= BOUNDS["log_size"] or self.written >= BOUNDS["max_records"]

    def _elects(self, node: int) -> None:
        self.note({"event": "controller_elect", "leader": f"r{node}"})

    async def _read(self) -> None:
        while True:
            for node in REPLICAS:
                place = self.cluster.nodes.folder / f"data{node}" / f"{TOPIC}-0"
                log = read_segment(place / f"{0:020}.log")
                if log != self.logs[node]:
                    self.logs[node] = log
                    self.note({"event": "log", f"log r{node}": log})
            await asyncio.sleep(BETWEEN)

    async def _act(self) -> None:
        """One thing that is possible now. A record is written more often than all else happens."""
        cluster, running = self.cluster, self.cluster.nodes.running()
        leader, isr = await cluster.leads()
        away = [node for node in REPLICAS if node not in running]
        acts: list[tuple[int, str]] = [(4, "write"), (2, "write alone"), (1, "wait")]
        if cluster.paused:
            acts.append((3, "resume"))
        if len(isr) == len(REPLICAS):
            acts.append((2, "fail over"))
        if away:
            acts.append((3, "start"))
        if leader != 1 and 1 in isr and not cluster.paused:
            acts.append((2, "elect"))
        for node in self.isr - {*isr}:  # it was paused for so long that the controller gave it up
            self.note({"event": "controller_shrink", "replica": f"r{node}"})
        self.isr = {*isr}
        what = self.choose.choices([act for _, act in acts], [weight for weight, _ in acts])[0]
        self.note({"event": "does", "what": what, "leader": leader, "isr": isr})
        if what.startswith("write"):
            value = f"m{self.written}"
            self.written += 1
            await cluster.write(leader, value, alone=what == "write alone")
        elif what == "resume":
            cluster.resume()
        elif what == "fail over":
            next_leader = next(node for node in isr if node != leader)
            self.note({"event": "controller_shrink", "replica": f"r{leader}"})
            self._elects(next_leader)
            self.isr = {next_leader}
            await cluster.lead_by(next_leader)
        elif what == "start":
            await cluster.nodes.start(away[0])
            await cluster.until(lambda: len(cluster.leader()[1]) == len(REPLICAS))
        elif what == "elect":
            self._elects(1)
            await cluster.prefer_first()
        await asyncio.sleep(self.choose.uniform(0, self.pause))


def main(words: Sequence[str]) -> int:
    """Makes loads and validates them. Returns 1 if one is no behaviour of a design.

    Raises UsageError for an unknown design and a folder that cannot be written to, StageFailed if
    there can be no cluster.
    """
    parser = argparse.ArgumentParser(prog="python -m specmodel.conformance.kafka.load")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kafka", default="4.1.0")
    parser.add_argument("--design", action="append")
    given = parser.parse_args(words)
    with cannot(f"write loads to {given.folder}"):
        given.folder.mkdir(parents=True, exist_ok=True)
    names = given.design or DESIGNS
    validators = [LogValidator(load_target(name, BOUNDS), BINDING) for name in names]
    wrong = 0
    for seed in range(given.seed, given.seed + given.runs):
        sys.stderr.write(f"load {seed}: up to {given.seconds:g} s on Kafka {given.kafka}\n")
        load = RandomLoad(OperatedCluster(given.kafka), given.seconds, seed)
        asyncio.run(load.run())
        file = given.folder / f"load-{seed}.jsonl"
        file.write_text("".join(f"{json.dumps(event)}\n" for event in load.events))
        for line in validated(file, validators):
            wrong += "no step" in line
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    return int(wrong > 0)


def validated(file: Path, validators: Sequence[LogValidator]) -> list[str]:
    """For each design, whether a file is a behaviour of it."""
    lines: list[str] = []
    for validator in validators:
        found: Any = validator.validated([file])
        said = f"{file.name}: {found.matched} of {found.events} changes are {found.design}"
        if found.unmatched:
            said += f"; {found.unmatched[0].place} is no step: {found.unmatched[0].text}"
        lines.append(f"{said} ({found.widest} states, {found.seconds:.1f} s)")
    return lines


if __name__ == "__main__":
    sys.exit(exit_code(main, sys.argv[1:]))
