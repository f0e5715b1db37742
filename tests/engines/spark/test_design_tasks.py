"""Searches at many constants as tasks of Spark: the table is that of searches here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from specmodel import ablate, load, sweep
from specmodel.analysis.searches import SearchOutcome
from specmodel.errors import UsageError


def timeless(outcome: SearchOutcome) -> SearchOutcome:
    """What does not depend on the machine."""
    return replace(outcome, seconds=0.0)


def test_sweep(running: None) -> None:
    """Counts, verdicts and traces at every point, in the order of the grid."""
    vary = {"participants": (1, 2, 3)}
    wanted = sweep("two-phase-commit", "two-phase-commit-impatient", vary=vary)
    found = sweep(
        "two-phase-commit", "two-phase-commit-impatient", vary=vary, engine="spark", jobs=2
    )
    assert [(p.design, p.setting, timeless(p.outcome)) for p in found.points] == [
        (p.design, p.setting, timeless(p.outcome)) for p in wanted.points
    ]


def test_ablation(running: None) -> None:
    """Rules are taken away, and actions replaced, on the other side as here."""
    design = load("two-phase-commit", participants=2)
    wanted = ablate(design, actions=("decide_commit",))
    found = ablate(design, actions=("decide_commit",), engine="spark", jobs=2)
    assert timeless(found.intact) == timeless(wanted.intact)
    assert [(a.number, a.effect, timeless(a.outcome)) for a in found.ablations] == [
        (a.number, a.effect, timeless(a.outcome)) for a in wanted.ablations
    ]


def test_master_is_for_spark() -> None:
    """Who names a cluster and forgets the engine is told so."""
    with pytest.raises(UsageError, match="--engine spark"):
        sweep("two-phase-commit", vary={"participants": (1, 2)}, master="spark://m:7077")
