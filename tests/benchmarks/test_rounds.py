"""Whose turn it is to be measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.__main__ import OFTEN, Bench
from benchmarks.configuration import SMALLEST
from benchmarks.process import MeasurementError
from benchmarks.sample import SHORT, Contender, Sample, Timing


def test_turns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All take turns in each round, the short ones more often, and what fails is left out."""
    measured: list[str] = []
    monkeypatch.setattr("benchmarks.__main__.have_at_hand", lambda states: None)

    def measure(name: str, wall: float) -> Sample:
        measured.append(name)
        return Sample(957, 1801, 15, wall, wall, 0)

    def fail() -> Sample:
        measured.append("broken")
        raise MeasurementError("it is broken")

    def time() -> float:
        measured.append("timing")
        return 0.1

    bench = Bench(tmp_path)
    bench.contenders = [
        Contender("a", SMALLEST, 1, lambda: measure("a", SHORT / 2), 2),
        Contender("slow", SMALLEST, 1, lambda: measure("slow", 2 * SHORT), 2),
        Contender("broken", SMALLEST, 1, fail, 2),
        Contender("b", SMALLEST, 1, lambda: measure("b", SHORT / 2), 1),
    ]
    bench.timings = [Timing("timing", time, 2)]
    bench.measure()
    first = ["a", "slow", "broken", "b", "timing"] + ["a", "b"] * (OFTEN - 1)
    second = ["a", "slow", "timing"] + ["a"] * (OFTEN - 1)
    assert measured == first + second
    assert len(bench.failures) == 1
    assert capsys.readouterr().err.count("round 2") == len(second)
