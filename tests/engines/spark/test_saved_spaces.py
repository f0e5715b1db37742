"""A space that is saved on Spark says what that of the native engine says, and the interpreter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.behaviour.formulas import is_temporal
from specmodel.design import Design
from specmodel.engines import native
from specmodel.results import Options
from specmodel.space.diff import difference
from specmodel.space.manifest import Manifest
from specmodel.space.space import Space
from specmodel.space.statistics import Statistics, statistics
from specmodel.suite.catalog import catalog, shipped
from tests.engines.spark.conftest import Check
from tests.engines.test_searches import BOUNDED, LINE
from tests.space.graphs import real_graph, told
from tests.written import design_of

COMPARED = 100_000
"""States of the largest designs of the library that are compared."""

FIRST_TRY = {"replicas": 2, "log_size": 1, "max_leader_epoch": 1}


def timeless(folder: Path) -> Statistics:
    """The statistics of a space, without what wrote it."""
    return replace(statistics(Space(folder)), engine="")


def same(check: Check, design: Design, folder: Path, **options: Any) -> dict[str, Any]:
    """Both engines leave the same space, and say the same of it; gives what that is."""
    options = {"keep_going": True, **options}
    native.check(design, Options(save_space=folder / "native", **options))
    found = check(design, save_space=folder / "spark", **options)
    assert found.saved == folder / "spark"
    wanted, said = told(folder / "native"), told(folder / "spark")
    assert said == wanted
    assert timeless(folder / "spark") == timeless(folder / "native")
    return said


@pytest.mark.parametrize(
    ("name", "constants", "symmetric"),
    [
        ("two-phase-commit", {}, False),
        ("two-phase-commit-impatient", {}, True),
        ("kip320-first-try", FIRST_TRY, False),
        ("kip320", {"log_size": 1, "max_records": 1, "max_leader_epoch": 0}, True),
    ],
)
def test_designs(
    check: Check, tmp_path: Path, name: str, constants: dict[str, Any], symmetric: bool
) -> None:
    """States by level, steps with their bindings, parents, violations, records and statistics."""
    design = load(name, **constants)
    said = same(check, design, tmp_path, symmetry=symmetric)
    assert said["graph"] == real_graph(design, symmetric)


def test_states_of_several_words(check: Check, tmp_path: Path) -> None:
    """With all that a state may consist of."""
    design = load(f"{Path(__file__).parents[2] / 'specs/values.py'}:values")
    said = same(check, design, tmp_path)
    assert Manifest.read(tmp_path / "spark").words > 1
    assert said["graph"] == real_graph(design, False)


def test_dead_ends_and_broken_steps(check: Check, tmp_path: Path) -> None:
    """States without a successor, and the step that breaks a transition property."""
    said = same(check, design_of(tmp_path, LINE), tmp_path, deadlock=True)
    assert {name for _, _, name, _ in said["violations"]} == {"below", "rising", "deadlock"}


def test_constraints(check: Check, tmp_path: Path) -> None:
    """Steps out of them lead nowhere."""
    design = design_of(tmp_path, BOUNDED)
    said = same(check, design, tmp_path)
    assert said["graph"] == real_graph(design, False)
    assert any(target == -1 for _, target, _ in said["graph"][1])


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(catalog((shipped(),)).designs))
def test_library(check: Check, tmp_path: Path, name: str) -> None:
    """Every shipped design that is not too large for it, at its default bounds: the same states,
    steps and statistics."""
    design = load(name)
    stated = tuple(rule.name for rule in design.chosen(None) if not is_temporal(rule))
    if not stated:
        return
    options = {"keep_going": True, "properties": stated, "symmetry": design.symmetry}
    if native.check(design, Options(max_states=COMPARED, **options)).stopped:
        pytest.skip("its states take minutes to compare")
    native.check(design, Options(save_space=tmp_path / "native", **options))
    assert check(design, save_space=tmp_path / "spark", **options).saved
    assert timeless(tmp_path / "spark") == timeless(tmp_path / "native")
    found = difference(tmp_path / "spark", tmp_path / "native")
    assert [(side.states, side.steps) for side in found.sides] == [(0, 0), (0, 0)]
    assert found.moved == 0
