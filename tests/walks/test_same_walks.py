"""The same walks by CPython and by machine code, on any number of workers."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject

import specmodel
from specmodel.analysis.simulation import simulate
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.kernel.walking import DEADLOCK, FAILED_PROPERTY, FAILED_STEP, FIRST
from specmodel.lang.loading import load_module
from specmodel.results import SpecFailure
from specmodel.walks.plan import Strategy, WalkPlan
from tests.random_specs import few, refusals_allowed, spec_sources

TOUR = Path(__file__).parents[1] / "specs" / "tour.py"
NAMED = (
    "kip320-first-try",
    "two-phase-commit-impatient",
    "zombie-unfenced",
    "consumer-kafkajs",
    "kip966-unnoticed-loss",
)


def walked(engine: str, design: Design, plan: WalkPlan, violations_end: bool) -> dict[str, Any]:
    """All that an engine makes of the walks of a plan, the ways of some of them included."""
    rules = design.chosen(None)
    ends = {FIRST + i for i, rule in enumerate(rules) if rule.role != "reachable"}
    ends = {*(ends if violations_end else ()), FAILED_STEP, FAILED_PROPERTY, DEADLOCK}
    # Walks that end early hide what comes later, so some runs only note that nothing can happen.
    walker = registry.engine(engine).walker(design, rules, plan, frozenset(ends))
    try:
        paths: list[Any] = []
        endings: list[int] = []
        for first, end in plan.rounds():
            walker.go(first, end)
            for walk in range(first, min(first + 3, end)):
                path = walker.path(walk)
                paths.append((path.initial, list(path.bindings)))
            violating = [walk for f, (walk, _) in walker.records().items() if f in ends]
            if violating:
                walker.take_back(min(violating) + 1)
            endings += walker.endings()
            if violating:
                break
            walker.learn()
        return {**vars(walker.totals()), "paths": paths, "endings": endings}
    finally:
        walker.close()


def agree(design: Design, walks: int, depth: int, seed: int = 3) -> None:
    """Compares the engines, and numbers of workers, on every strategy."""
    weights = {rule.name: 3 * i % 4 for i, rule in enumerate(design.spec.rules)}
    for strategy in Strategy:
        weighted = weights if strategy is Strategy.weighted else {}
        for ending, workers in ((True, 3), (False, 1)):
            plan = WalkPlan(walks, depth, seed, strategy, weighted, order=4, save_walks=Path("w"))
            expected = walked("interpret", design, plan, ending)
            assert len(expected["endings"]) == expected["ended"]
            found = walked("native", design, replace(plan, workers=workers), ending)
            assert found == expected, (strategy, ending, workers)


@pytest.mark.parametrize("name", NAMED)
def test_designs(name: str) -> None:
    """Designs of the repository: violated, deadlocking, with one and two words of moves."""
    agree(specmodel.load(name), walks=16, depth=16)


def test_every_construct() -> None:
    """Six words a state, several initial states, constraints, failures."""
    loaded = load_module(TOUR)
    agree(Design("tour", loaded.spec("tour"), loaded.constants), walks=20, depth=10)


def agree_on_text(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        with refusals_allowed():
            loaded = load_module(file)
            design = Design("spec", loaded.spec("spec"), loaded.constants)
            try:
                list(Interpreter(design.spec).initial())
            except SpecFailure:
                reject()
            agree(design, walks=12, depth=6)


@few(5)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """A few random specs, which fail now and then, as failing alike is part of it."""
    agree_on_text(text)


@pytest.mark.long
@few(300)
@given(spec_sources())
def test_many_random_specs(text: str) -> None:
    """As above, at leisure."""
    agree_on_text(text)


def test_workers_share_a_thinned_sample() -> None:
    """More states than the sample holds, by one worker and by three: the same slice of them."""
    design = specmodel.load("kip320")
    samples: list[Any] = []
    for workers in (1, 3):
        plan = WalkPlan(12_000, workers=workers)
        walker = registry.engine("native").walker(design, (), plan, frozenset())
        for first, end in plan.rounds():
            walker.go(first, end)
        samples.append(walker.totals().sample)
        walker.close()
    assert samples[0] == samples[1]
    assert samples[0].slice != 0


@pytest.mark.parametrize("strategy", list(Strategy))
def test_nothing_after_a_violation_counts(strategy: Strategy) -> None:
    """Walks past the violating one, made before it was known, leave no trace: as if one by one."""
    design = specmodel.load("two-phase-commit-impatient")
    reports: list[Any] = []
    for engine, workers in (("native", 1), ("native", 3), ("interpret", 1)):
        found = simulate(design, WalkPlan(5000, 30, 1, strategy, workers=workers), engine)
        assert found.walk is not None
        assert found.walks == found.walk + 1
        alike = replace(found, engine="", workers=0, seconds=0, compile_seconds=0, properties=())
        reports.append(replace(alike, self_check=None))  # the interpreter has none
    assert reports[0] == reports[1] == reports[2]
