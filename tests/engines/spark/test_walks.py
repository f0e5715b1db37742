"""Random walks on Spark are those of the native engine, however they are shared out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from specmodel import load, simulate
from specmodel.engines.spark import walking
from specmodel.errors import UsageError
from specmodel.results import Simulation


def told(found: Simulation) -> Simulation:
    """What does not depend on the engine, nor on time."""
    return replace(found, engine="", workers=0, seconds=0.0, compile_seconds=0.0)


@pytest.mark.parametrize("piece", [512, 700])
def test_the_same_walks(running: None, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """Counts, coverage and the sample of states, for the same seed, in pieces of any size."""
    monkeypatch.setattr(walking, "LEAST_PIECE", piece)
    design = load("two-phase-commit")
    options = {"walks": 6000, "depth": 20, "seed": 7, "strategy": "pct"}
    wanted = simulate(design, **options)  # type: ignore[arg-type]  # by name
    found = simulate(design, engine="spark", workers=2, **options)  # type: ignore[arg-type]
    assert told(found) == told(wanted)
    assert (found.engine, found.workers) == ("spark", 2)


def test_the_same_violation(running: None) -> None:
    """The violating walk of the least number is reported, with the same short trace."""
    design = load("two-phase-commit-impatient")
    wanted = simulate(design, seed=3)
    found = simulate(design, seed=3, engine="spark", workers=2)
    assert (found.walk, found.walk_length, found.stopped) == (
        wanted.walk,
        wanted.walk_length,
        "violation",
    )
    assert found["agreement"] == wanted["agreement"]


def test_guided_walks_are_refused(running: None) -> None:
    """What walks learn from each other would have to go round after every round."""
    with pytest.raises(UsageError, match="not for Spark"):
        simulate("two-phase-commit", engine="spark", strategy="coverage")
