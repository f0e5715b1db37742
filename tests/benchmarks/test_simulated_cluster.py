"""The simulation of clusters adds up, and takes its costs from a search's own event log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from benchmarks.cluster import Cluster, Costs, level_sizes, measured, simulated

EVEN = Costs(
    expand=1e-6, insert=2e-6, spread=0.0, start=0.0, job=0.0, task=0.0, rebuild=1e-6, sent=0.0
)
"""Work alone."""

STATES = 100_000_000


def test_work_alone() -> None:
    """Without noise, network or jobs, time is work by slots, and that of the driver's levels."""
    found = simulated(STATES, Cluster(4, 8), EVEN, times=1)
    assert found.total - found.jobs == pytest.approx(STATES * 3e-6 / 32, rel=0.05)
    assert found.waits == pytest.approx(0, abs=0.01)
    twice = simulated(STATES, Cluster(8, 8), EVEN, times=1)
    assert twice.work == pytest.approx(found.work / 2, rel=0.01)


def test_what_makes_it_slower() -> None:
    """Each of: uneven tasks, a slow machine, a slow network, starts of tasks, a lost machine."""
    cluster, plain = Cluster(4, 8), simulated(STATES, Cluster(4, 8), EVEN, times=1).total

    def times(costs: Costs = EVEN, **given: float) -> float:
        return simulated(STATES, replace(cluster, **given), costs, times=3).total / plain

    assert 1.05 < times(replace(EVEN, spread=0.1)) < 1.5
    assert times(slow=2.0) == pytest.approx(2, rel=0.05)
    assert times(replace(EVEN, sent=43.0), gigabits=1.0) > 1.5
    assert times(replace(EVEN, task=0.01)) > 1.5
    assert times(lost=1) > 1.5
    assert times(lost=1, shards_a_slot=8) < times(lost=1)  # several machines share what moves


def test_the_sizes_of_levels() -> None:
    """They add up, and ten times the states are in five levels more."""
    sizes = level_sizes(1_000_000_000)
    assert sum(sizes) == pytest.approx(1_000_000_000, rel=1e-6)
    assert len(level_sizes(10_000_000_000)) == len(sizes) + 5


def events() -> Iterator[str]:
    """What Spark logs of a level: two tasks of 1 and 2 s, two of 3 and 4."""
    about = {"spark.job.description": "kip320: level 1"}
    job = {"Job ID": 0, "Stage IDs": [2, 0, 1], "Properties": about}
    yield json.dumps({"Event": "SparkListenerJobStart", **job})
    for stage, seconds in ((1, 1), (1, 2), (2, 3), (2, 4)):
        info = {"Launch Time": 1000, "Finish Time": 1000 + 1000 * seconds}
        yield json.dumps({"Event": "SparkListenerTaskEnd", "Stage ID": stage, "Task Info": info})
    yield json.dumps({"Event": "SparkListenerJobEnd", "Job ID": 0})


def test_measured_costs() -> None:
    """Seconds of tasks by states of the level that they expand, or insert; what is left is that of
    the job."""
    records = [{"states": 100, "seconds": 1.0}, {"states": 1000, "seconds": 7.5}]
    found = measured(events(), records, Costs())
    assert (found.expand, found.insert, found.job, found.start) == (3 / 100, 7 / 1000, 0.5, 0)
    assert found.spread == pytest.approx((1 / 3 + 1 / 7) / 2)
    with pytest.raises(ValueError, match="no job of a level"):
        measured([], records, Costs())
