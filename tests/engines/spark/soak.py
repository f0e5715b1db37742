"""Searches on a cluster in which something is killed again and again.

`python -m tests.engines.spark.soak --minutes 30 --every 60` starts a master and three workers on
this machine, and searches on them, one search after the other. Each minute it kills a Python
worker, an executor, a whole worker of the cluster, or the driver, and starts again what Spark does
not. A search that says nothing else than the native engine is right; one that gives up has to say
so in one line, and to go on. The exit code is 1 for anything else.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.engines.spark.cluster import ROOT, Cluster, cluster
from tests.outside import running_processes

KINDS = ("Python worker", "executor", "worker", "driver")

SAME = ("distinct", "generated", "depth", "complete")


@dataclass
class Soak:
    """One series of searches on a cluster. `lines` are the errors of searches that gave up."""

    made: Cluster
    command: Sequence[str]
    folder: Path
    random: random.Random
    kills: Counter[str] = field(default_factory=Counter[str])
    ended: int = 0
    lines: list[str] = field(default_factory=list[str])

    def search(self, wanted: dict[str, Any], every: float, until: float) -> None:
        """Searches to the end, in as many goes as it takes. Raises AssertionError if it differs."""
        run = self.folder / f"run-{self.ended}"
        while True:
            driver = self._driver(run)
            while driver.poll() is None:
                try:
                    driver.wait(every)
                except subprocess.TimeoutExpired:
                    if time.monotonic() < until:
                        self._kill(driver)
            said, told = (Path(run.with_suffix(end)).read_text() for end in (".json", ".err"))
            if driver.returncode == -signal.SIGKILL:
                continue
            assert "Traceback" not in told, told
            found = json.loads(said) if said else {}
            if driver.returncode == 0:
                assert {name: found[name] for name in SAME} == wanted, found
                self.ended += 1
                return
            self.lines.append(told.strip().rpartition("\n")[2])
            assert len(self.lines) < 100, self.lines

    def _driver(self, run: Path) -> subprocess.Popen[bytes]:
        words = [*self.command, "--engine", "spark", "--master", self.made.url, "--run", str(run)]
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
        with run.with_suffix(".json").open("wb") as out, run.with_suffix(".err").open("wb") as err:
            return subprocess.Popen(words, cwd=ROOT, env=environment, stdout=out, stderr=err)

    def _kill(self, driver: subprocess.Popen[bytes]) -> None:
        """Kills one process of a kind that there is."""
        processes = running_processes()
        alive = [worker for worker in self.made.workers if worker.poll() is None]
        below = _below(processes, {worker.pid for worker in alive})
        executors = [p for p in below if "CoarseGrainedExecutorBackend" in processes[p][1]]
        pythons = [p for p in below if "spark.daemon" in processes[p][1]]
        each = {
            "Python worker": pythons,
            "executor": executors,
            "worker": [worker.pid for worker in alive],
            "driver": [driver.pid],
        }
        kind = self.random.choice([kind for kind in KINDS if each[kind]])
        os.kill(self.random.choice(each[kind]), signal.SIGKILL)
        self.kills[kind] += 1
        _say(f"killed: {kind}")
        if kind == "worker":
            self.made.add_worker()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _below(processes: dict[int, tuple[int, str]], roots: set[int]) -> set[int]:
    """The descendants of some processes."""
    found, more = set[int](), roots
    while more:
        more = {pid for pid, (parent, _) in processes.items() if parent in more} - found
        found |= more
    return found


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.engines.spark.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--every", type=float, default=60, help="seconds between two kills")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=["max_leader_epoch=3"])
    given = parser.parse_args(words)
    sets = [word for value in given.set for word in ("--set", value)]
    command = [sys.executable, "-m", "specmodel", "check", "kip320", *sets, "--format", "json"]
    native = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if native.returncode:
        parser.error(native.stderr.strip().removeprefix("error: "))
    wanted = {name: json.loads(native.stdout)[name] for name in SAME}
    with tempfile.TemporaryDirectory(prefix="specmodel-soak-") as name:
        folder = Path(name)
        with cluster(folder, 3) as made:
            soak = Soak(made, command, folder, random.Random(given.seed))
            until = time.monotonic() + 60 * given.minutes
            while time.monotonic() < until:
                soak.search(wanted, given.every, until)
                _say(f"{soak.ended} searches of {wanted['distinct']:,} states")
    _say(f"killed: {dict(soak.kills)}")
    _say(f"{soak.ended} searches, all as native; {len(soak.lines)} gave up and went on")
    for line in soak.lines:
        _say(f"  {line}")


if __name__ == "__main__":
    main()
