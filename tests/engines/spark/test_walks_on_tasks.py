"""Random walks on Spark are those of the native engine, however they are shared out."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import pytest

from specmodel import load, simulate
from specmodel.engines.spark import walking
from specmodel.errors import SpecmodelError
from specmodel.results import Simulation


def told(found: Simulation) -> Simulation:
    """What does not depend on the engine, nor on time."""
    return replace(found, engine="", workers=0, seconds=0.0, compile_seconds=0.0)


@pytest.mark.parametrize(("piece", "strategy"), [(512, "pct"), (700, "pct"), (300, "coverage")])
def test_the_same_walks(
    running: None, monkeypatch: pytest.MonkeyPatch, piece: int, strategy: str
) -> None:
    """Counts, coverage and the sample of states, for the same seed, in pieces of any size.

    What guided walks learn goes round after each round: each binding is taken as often.
    """
    monkeypatch.setattr(walking, "LEAST_PIECE", piece)
    design = load("two-phase-commit")
    options = {"walks": 6000, "depth": 20, "seed": 7, "strategy": strategy}
    wanted = simulate(design, **options)  # type: ignore[arg-type]  # by name
    found = simulate(design, engine="spark", workers=2, **options)  # type: ignore[arg-type]
    assert told(found) == told(wanted)
    assert (found.engine, found.workers) == ("spark", 2)


@pytest.mark.parametrize("strategy", ["uniform", "coverage"])
def test_the_same_violation(running: None, strategy: str) -> None:
    """The violating walk of the least number is reported, with the same short trace.

    What tasks have made of walks after it counts for nothing, as with the native engine.
    """
    design = load("two-phase-commit-impatient")
    wanted = simulate(design, seed=3, strategy=strategy)
    found = simulate(design, seed=3, strategy=strategy, engine="spark", workers=2)
    assert (found.stopped, found.walks) == ("violation", (found.walk or 0) + 1)
    assert told(found) == told(wanted)


def test_the_driver_gets_a_part(running: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's Java ends while it hands over walks: the driver does not take a part for all."""
    rdd: Any = importlib.import_module("pyspark.core.rdd")
    collect = rdd.RDD.collect
    monkeypatch.setattr(rdd.RDD, "collect", lambda self: collect(self)[:-1])
    with pytest.raises(SpecmodelError, match=r"Spark gave the walks of \d+ of \d+ tasks"):
        simulate(load("two-phase-commit"), walks=50, depth=5, engine="spark", workers=2)
