"""A real Spark cluster on this machine's loopback: a master and workers, each a process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 120.0


@dataclass
class Cluster:
    """A running cluster. `url` is what --master takes."""

    folder: Path
    url: str = ""
    master: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Starts a worker with one core."""
        name = f"worker{len(self.workers)}"
        place = ["--work-dir", str(self.folder / name)]
        size = ["--cores", "1", "--memory", "1g", "--webui-port", "0", "--host", "127.0.0.1"]
        worker = self._start("worker.Worker", name, [*size, *place, self.url])
        self.workers.append(worker)
        self._said(name, r"Successfully registered with master")
        return worker

    def start_master(self) -> None:
        """Starts the master, on a port that is free."""
        place = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        self.master = self._start("master.Master", "master", place)
        self.url = self._said("master", r"Starting Spark master at (spark://\S+)")

    def stop(self) -> None:
        """Ends all of it."""
        for process in [*self.workers, *([self.master] if self.master else [])]:
            process.terminate()
        for process in [*self.workers, *([self.master] if self.master else [])]:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, kind: str, name: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        home = Path(str(find_spec("pyspark").origin)).parent  # type: ignore[union-attr]
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_NO_DAEMONIZE": "1",
        }
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments],
                env=environment,
                stdout=log,
                stderr=log,
            )

    def _said(self, name: str, pattern: str) -> str:
        """What a process has logged by now, or soon."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found = re.search(pattern, (self.folder / f"{name}.log").read_text(errors="replace"))
            if found:
                return found[found.lastindex or 0]
            time.sleep(0.2)
        raise AssertionError(f"{name} does not say {pattern}: see {self.folder}")


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """A cluster with so many workers of one core each."""
    made = Cluster(folder)
    try:
        made.start_master()
        for _ in range(workers):
            made.add_worker()
        yield made
    finally:
        made.stop()
