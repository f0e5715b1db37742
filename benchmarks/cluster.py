"""What a search on a cluster that nobody has would take: a simulation with measured task times.

`python -m benchmarks.cluster` simulates searches of 10^9 and 10^10 states on 64 and 512 slots,
level by level and task by task: the slowest task ends a stage, and the scheduler starts one task
after the other. A machine may be lost: its shards move, with tables that are built again from the
log. The driver searches the first levels itself.

With `--events FILE --run DIR`, the costs come from a search of one's own: the event log that Spark
writes with `spark.eventLog.enabled true`, and the run that `--run` keeps.
"""

from __future__ import annotations

import argparse
import heapq
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.engines.spark.search import MOST_HERE
from specmodel.engines.spark.session import WORTH_SPREADING
from specmodel.space.files import RunFiles

SHAPE = (1, 594, 31_362, 200_070, 580_302, 875_298, 1_055_667, 964_737, 649_389, 300_801, 88_686)
"""Every third or so of the level sizes of kip320 (3,2,2,3): the shape of all spaces simulated."""

HERE = 0.01
"""Seconds of a level without states that the driver searches."""


@dataclass(frozen=True)
class Costs:
    """Seconds that work takes, as measured on one slot."""

    expand: float = 0.42e-6
    """Finding the successors of a state, and sending them."""
    insert: float = 0.92e-6
    """Inserting the successors that belong to a state of the new level, and writing it to the log.
    """
    spread: float = 0.074
    """The standard deviation of a task's time, relative to it."""
    start: float = 4.0
    """What the first job takes more than others: Python workers start."""
    job: float = 0.1
    """A level without states: a job of two stages, and its record."""
    task: float = 0.001
    """Starting one task: the scheduler starts one after the other."""
    rebuild: float = 0.25e-6
    """Reading a state from the log into a new table."""
    sent: float = 43.0
    """Bytes of successors that a state sends: 2.7 of two words."""


@dataclass(frozen=True)
class Cluster:
    """Machines with slots, and a network between them. `slow`: how much longer the slowest machine
    takes; a shard stays on its machine. `lost` machines fail at random times and stay away; Spark
    notices after `notice` seconds.
    """

    machines: int
    slots: int
    shards_a_slot: int = 1
    gigabits: float = 10.0
    slow: float = 1.0
    lost: int = 0
    notice: float = 10.0

    @property
    def shards(self) -> int:
        return self.machines * self.slots * self.shards_a_slot


@dataclass
class Account:
    """Where the time of a search goes, in seconds."""

    total: float = 0.0
    work: float = 0.0
    """Of the average slot."""
    network: float = 0.0
    rebuilt: float = 0.0
    jobs: float = 0.0

    @property
    def waits(self) -> float:
        """Of the average slot, for slower tasks."""
        return self.total - self.work - self.network - self.rebuilt - self.jobs


@dataclass
class Search:
    """One search on a cluster."""

    cluster: Cluster
    costs: Costs
    levels: Sequence[int]
    random: np.random.Generator
    homes: list[int] = field(init=False)
    account: Account = field(default_factory=Account)

    def __post_init__(self) -> None:
        self.homes = [shard % self.cluster.machines for shard in range(self.cluster.shards)]

    def run(self) -> Account:
        """Searches level by level; losses happen at levels drawn by their sizes."""
        weights = np.array(self.levels) / sum(self.levels)
        drawn = self.random.choice(len(self.levels), self.cluster.lost, replace=False, p=weights)
        losses, reached = set(drawn), 0
        self._spend("jobs", self.costs.start)
        for level, states in enumerate(self.levels):
            before = self.levels[level - 1] if level else 0
            if level in losses and len(set(self.homes)) > 1:
                self._lose(before, reached)
            reached += states
            if states < WORTH_SPREADING and reached < MOST_HERE:
                self._spend("jobs", HERE + before * self.costs.expand + states * self.costs.insert)
                continue
            self._spend("jobs", self.costs.job)
            self._stage(before * self.costs.expand)
            self._transfer(before)
            self._stage(states * self.costs.insert)
        return self.account

    def _spend(self, what: str, seconds: float) -> None:
        """Adds seconds in which all slots do the same, or wait for the same."""
        setattr(self.account, what, getattr(self.account, what) + seconds)
        self.account.total += seconds

    def _stage(self, work: float) -> None:
        """Runs a stage of a task for each shard, on the machines that have the shards."""
        share = work / self.cluster.shards
        times = share * self.random.lognormal(0, self.costs.spread, self.cluster.shards)
        ended = self._ends(times, self.costs.task)
        self.account.total += ended
        self.account.work += float(np.sum(times)) / (len(set(self.homes)) * self.cluster.slots)
        self.account.jobs += ended - self._ends(times, 0.0)

    def _ends(self, times: NDArray[np.float64], apart: float) -> float:
        """When the last task ends, if tasks are started so many seconds apart."""
        free = {home: [0.0] * self.cluster.slots for home in set(self.homes)}
        slowest = min(free)
        for number, (home, time) in enumerate(zip(self.homes, times, strict=True), start=1):
            pace = self.cluster.slow if home == slowest else 1.0
            began = max(heapq.heappop(free[home]), number * apart)
            heapq.heappush(free[home], began + time * pace)
        return float(max(max(slots) for slots in free.values()))

    def _transfer(self, states: int) -> None:
        """Sends the successors of states: all but the part that stays on its machine."""
        machines = len(set(self.homes))
        each = states * self.costs.sent * (machines - 1) / machines**2
        self._spend("network", 8 * each / (self.cluster.gigabits * 1e9))

    def _lose(self, expanded: int, reached: int) -> None:
        """Loses a machine in the middle of a level: its shards move, and their tasks run again."""
        gone = int(self.random.choice(sorted(set(self.homes))))
        rest = sorted(set(self.homes) - {gone})
        moved = [shard for shard, home in enumerate(self.homes) if home == gone]
        for place, shard in enumerate(moved):
            self.homes[shard] = rest[place % len(rest)]
        rounds = -(-len(moved) // (len(rest) * self.cluster.slots))
        again = expanded * self.costs.expand + reached * self.costs.rebuild
        self._spend("rebuilt", self.cluster.notice + rounds * again / self.cluster.shards)


def level_sizes(states: int) -> list[int]:
    """The sizes of the levels of a space: more states are in more levels, in the same shape."""
    levels = round(32 + 5 * np.log10(states / 9_985_570))
    at = np.linspace(0, len(SHAPE) - 1, levels)
    sizes = np.exp(np.interp(at, range(len(SHAPE)), np.log(SHAPE)))
    return [max(1, int(size)) for size in sizes * states / sizes.sum()]


def simulated(states: int, cluster: Cluster, costs: Costs, times: int = 21) -> Account:
    """The search of median duration among some."""
    sizes = level_sizes(states)
    found = [
        Search(cluster, costs, sizes, np.random.default_rng(seed)).run() for seed in range(times)
    ]
    middle = median(each.total for each in found)
    return next(each for each in found if each.total == middle)


def measured(events: Iterable[str], records: Sequence[Mapping[str, Any]], costs: Costs) -> Costs:
    """Costs with those of a search's own tasks: from Spark's event log and the records of levels.

    Raises ValueError if the log has no job of a level of this search.
    """
    expand, insert, jobs = list[tuple[int, float]](), list[tuple[int, float]](), list[float]()
    apart: list[float] = []
    for level, stages in _jobs(events):
        if not 1 <= level < len(records) or len(stages) < 2:
            continue
        (first, second), (before, after) = stages[-2:], records[level - 1 : level + 1]
        expand.append((before["states"], sum(first)))
        insert.append((after["states"], sum(second)))
        jobs.append(after["seconds"] - before["seconds"] - max(first) - max(second))
        for times in (first, second):
            if len(times) > 1 and min(times) > 0.1:
                apart.append(float(np.std(times) / np.mean(times)))
    if not expand:
        raise ValueError("the log has no job of a level: was it a search with --engine spark?")
    return replace(
        costs,
        expand=_a_state(expand),
        insert=_a_state(insert),
        start=jobs[0] - median(jobs),
        job=median(jobs),
        spread=median(apart) if apart else costs.spread,
    )


def _a_state(found: Sequence[tuple[int, float]]) -> float:
    """Seconds a state, of all levels together."""
    return sum(time for _, time in found) / sum(states for states, _ in found)


def _jobs(events: Iterable[str]) -> Iterator[tuple[int, list[list[float]]]]:
    """The jobs of levels in an event log: the level, and the seconds of the tasks of its stages."""
    tasks, open_jobs = dict[int, list[float]](), dict[int, dict[str, Any]]()
    for line in events:
        event = json.loads(line)
        kind = event["Event"]
        if kind == "SparkListenerTaskEnd":
            info = event["Task Info"]
            took = (info["Finish Time"] - info["Launch Time"]) / 1000
            tasks.setdefault(event["Stage ID"], []).append(took)
        elif kind == "SparkListenerJobStart":
            open_jobs[event["Job ID"]] = event
        elif kind == "SparkListenerJobEnd":
            job = open_jobs.pop(event["Job ID"])
            found = re.search(r": level (\d+)$", job["Properties"].get("spark.job.description", ""))
            if found:
                yield int(found[1]), [tasks[s] for s in sorted(job["Stage IDs"]) if s in tasks]


def table(costs: Costs) -> Iterator[str]:
    """The lines of a Markdown table: sizes and clusters, and where the time goes."""
    yield "| states | cluster | time | work | waits | network | jobs | tables again |"
    yield "|---|---|---|---|---|---|---|---|"
    for exponent in (9, 10):
        for slots in (64, 512):
            plain = Cluster(slots // 16, 16)
            kinds = {
                "": plain,
                ", 4 shards a slot": replace(plain, shards_a_slot=4),
                ", one machine at half the speed": replace(plain, slow=2.0),
                ", one lost": replace(plain, lost=1),
                ", one lost, 4 shards a slot": replace(plain, lost=1, shards_a_slot=4),
            }
            for name, cluster in kinds.items():
                a = simulated(10**exponent, cluster, costs)
                cells = (a.total, a.work, a.waits, a.network, a.jobs, a.rebuilt)
                times = " | ".join(f"{cell:,.0f} s" for cell in cells)
                yield f"| 10^{exponent} | {slots} slots{name} | {times} |"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--events", type=Path, help="Spark's event log of a search, one plain file")
    parser.add_argument("--run", type=Path, help="the run of this search, as --run kept it")
    given = parser.parse_args(words)
    costs = Costs()
    if (given.events is None) != (given.run is None):
        parser.error("--events and --run go together")
    if given.events is not None:
        records = RunFiles(given.run).committed()
        try:
            with given.events.open(encoding="utf-8") as lines:
                costs = measured(lines, records, costs)
        except OSError as wrong:
            parser.error(f"{given.events} cannot be read: {wrong.strerror}")
        except (KeyError, ValueError):
            parser.error(
                f"{given.events} has no jobs of the levels of {given.run}: Spark writes one plain "
                "file with spark.eventLog.compress false and spark.eventLog.rolling.enabled false"
            )
    print(costs)
    for line in table(costs):
        print(line)


if __name__ == "__main__":
    main()
