"""Kafka's own nodes on loopback, from released jars: started, stopped, paused, killed.

A node is a process under a keeper, so none outlives this process. Their folder is removed by a
keeper too.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import shutil
import signal
import socket
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from specmodel.conformance.program import KeptProcess
from specmodel.conformance.protocol import StageFailed
from specmodel.files import cache_folder

CLUSTER_ID = "4L6g3nShT-eMCtK--X86sw"

JVM = ["-Xmx200m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
"""Flags by which a node starts in 3 s and takes 150 MB. Without the smaller cleaner buffer of
`settings`, a node with this heap ends at once."""

CONTROLLER = 3
"""The node that is the controller, too. It holds no replica, and keeps clients in touch."""

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>specmodel</groupId>
  <artifactId>nodes</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
</project>
"""


async def jars(version: str) -> Path:
    """The folder with the jars of a release, fetched by Maven into the cache on first use.

    Raises StageFailed if that fails.
    """
    folder = cache_folder() / "kafka" / version
    if folder.is_dir():
        return folder
    if shutil.which("mvn") is None:
        raise StageFailed("there is no mvn to fetch Kafka's jars: install Maven")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetching-") as place:
        (Path(place) / "pom.xml").write_text(POM.format(version=version))
        await finished(
            ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"],
            Path(place),
        )
        if not folder.is_dir():
            (Path(place) / "lib").rename(folder)
    return folder


async def finished(command: Sequence[str], folder: Path) -> str:
    """The output of a command. Raises StageFailed if it failed."""
    kept = await KeptProcess.start(
        command, folder=folder, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.STDOUT
    )
    try:
        written, _ = await kept.process.communicate()
    finally:
        await kept.end()
    text = written.decode(errors="replace")
    if kept.process.returncode:
        raise StageFailed(f"`{' '.join(command[:3])}` failed: {text.strip()[-500:]}")
    return text


def free_ports(number: int) -> list[int]:
    """Free ports."""
    held = [socket.socket() for _ in range(number)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class KafkaNodes:
    """Brokers 1 to n, where 3 is the controller too, in a temporary folder."""

    def __init__(
        self,
        version: str,
        brokers: Sequence[int] = (1, 2, CONTROLLER),
        home: str = "",
        features: Sequence[str] = (),
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """`home` is the folder of an unpacked release, whose jars are taken; `features` are those
        that the cluster is formatted with, as `name=version`; `settings` are more of each node."""
        self.settings = settings or {}
        self.features = features
        self.version = version
        self.home = home
        self.brokers = list(brokers)
        self.ports: Mapping[int, int] = {}
        self.folder = Path()
        self._jars = Path()
        self._kept: dict[int, KeptProcess] = {}
        self._guard: KeptProcess | None = None

    async def open(self) -> None:
        """Formats the folders of all nodes, and starts the nodes."""
        self._jars = Path(self.home, "libs") if self.home else await jars(self.version)
        self.folder = Path(tempfile.mkdtemp(prefix="specmodel-kafka-"))
        # `cat` waits for its input, which nobody writes: the keeper removes the folder at the end.
        self._guard = await KeptProcess.start(["cat"], remove=self.folder)
        *ports, controller = free_ports(len(self.brokers) + 1)
        self.ports = dict(zip(self.brokers, ports, strict=True))
        for node in self.brokers:
            (self.folder / f"{node}.properties").write_text(self._settings(node, controller))
        await asyncio.gather(*map(self._format, self.brokers))
        for node in self.brokers:
            await self.start(node)

    def _settings(self, node: int, controller: int) -> str:
        both = node == CONTROLLER
        listeners = f"PLAINTEXT://127.0.0.1:{self.ports[node]}"
        if both:
            listeners += f",CONTROLLER://127.0.0.1:{controller}"
        settings = {
            "process.roles": "broker,controller" if both else "broker",
            "node.id": node,
            "controller.quorum.voters": f"{CONTROLLER}@127.0.0.1:{controller}",
            "controller.listener.names": "CONTROLLER",
            "listeners": listeners,
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "log.dirs": self.folder / f"data{node}",
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 1,
            "group.initial.rebalance.delay.ms": 0,
            "log.cleaner.dedupe.buffer.size": 2097152,
            "broker.heartbeat.interval.ms": 500,
            "broker.session.timeout.ms": 4000,
            **self.settings,
        }
        return "".join(f"{name}={value}\n" for name, value in settings.items())

    def _java(self, main: str, *words: str) -> list[str]:
        return ["java", *JVM, "-cp", f"{self._jars}/*", main, *words]

    async def _format(self, node: int) -> None:
        """The controller's folder by Kafka's tool; the others need two lines that name them."""
        if node == CONTROLLER:
            file = str(self.folder / f"{node}.properties")
            words = ["format", "-t", CLUSTER_ID, "-c", file]
            words += [word for feature in self.features for word in ("--feature", feature)]
            await finished(self._java("kafka.tools.StorageTool", *words), self.folder)
            return
        place = self.folder / f"data{node}"
        place.mkdir()
        name = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        (place / "meta.properties").write_text(
            f"version=1\ncluster.id={CLUSTER_ID}\nnode.id={node}\ndirectory.id={name}\n"
        )

    async def start(self, node: int) -> None:
        """Starts a node; what it writes goes to a file of the folder."""
        command = self._java("kafka.Kafka", str(self.folder / f"{node}.properties"))
        with (self.folder / f"{node}.log").open("ab") as log:
            self._kept[node] = await KeptProcess.start(
                command,
                folder=self.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log.fileno(),
                stderr=log.fileno(),
            )

    async def kill(self, node: int) -> None:
        """Ends a node as kill -9 does."""
        await self._kept.pop(node).end()

    def pause(self, node: int) -> None:
        """Freezes a node (SIGSTOP)."""
        self._signal(node, signal.SIGSTOP)

    def resume(self, node: int) -> None:
        """Lets a frozen node go on."""
        self._signal(node, signal.SIGCONT)

    def running(self) -> list[int]:
        """The nodes that have been started and not killed."""
        return sorted(self._kept)

    def epochs(self, node: int, topic: str) -> list[tuple[int, int]]:
        """The leader epoch checkpoint of a node: epochs and where they start."""
        file = self.folder / f"data{node}" / f"{topic}-0" / "leader-epoch-checkpoint"
        found: list[tuple[int, int]] = []
        for line in file.read_text().splitlines()[2:]:
            epoch, _, start = line.partition(" ")
            found.append((int(epoch), int(start)))
        return found

    async def close(self) -> None:
        """Kills all nodes, and removes their folder."""
        for kept in self._kept.values():
            await kept.end()
        self._kept.clear()
        if self._guard is not None:
            await self._guard.end()
            self._guard = None

    def _signal(self, node: int, number: int) -> None:
        keeper = self._kept[node].process.pid
        children = Path(f"/proc/{keeper}/task/{keeper}/children")
        with contextlib.suppress(ProcessLookupError):
            for child in children.read_text().split():
                os.kill(int(child), number)


def unsupported(home: str = "") -> str:
    """Why this machine cannot run nodes, of a version or of the release in a folder; empty if it
    can."""
    if home and not list(Path(home, "libs").glob("kafka_*.jar")):
        return f"{home} is no unpacked release of Kafka: there is no libs/kafka_*.jar"
    programs = ("java",) if home else ("java", "mvn")
    lacking = [name for name in programs if shutil.which(name) is None]
    if lacking:
        return f"there is no {' and no '.join(lacking)}"
    if sys.platform != "linux":
        return "nodes are paused through /proc, which Linux has"
    return ""
