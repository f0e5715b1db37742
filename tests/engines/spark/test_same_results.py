"""Searches on Spark say what native ones say: counts, verdicts, traces, failures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.behaviour.formulas import is_temporal
from specmodel.design import Design
from specmodel.engines import native, registry
from specmodel.engines.spark import search
from specmodel.engines.spark.exchange import Exchange
from specmodel.engines.spark.session import WORTH_SPREADING, Session
from specmodel.errors import SpecmodelError, UsageError
from specmodel.results import Options
from specmodel.suite.catalog import catalog, shipped
from tests.coverage.test_coverage import SPEC as HOLLOW
from tests.engines.outcomes import outcome
from tests.engines.spark.conftest import Check
from tests.engines.test_refinement import QUEUE
from tests.engines.test_searches import BOUNDED, LINE, STARTS
from tests.symmetry.test_slots import RING
from tests.written import design_of

FAILING = LINE.replace("    require(s.at + by <= 9)\n", "")


def same(check: Check, design: Design, **options: object) -> None:
    """Both engines say the same of a design, also if the driver searches small levels itself."""
    wanted = outcome(native.check, design, Options(**options))  # type: ignore[arg-type]  # by name
    for spread in (0, 5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Session, "spread", spread)
            found = outcome(lambda d, o: check(d, **options), design, Options())
        assert found == wanted, spread


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs of Spark that make levels."""
    ran: list[str] = []
    run = Exchange.run

    def noted(self: Exchange, stages: Sequence[Any], group: str, description: str) -> list[Any]:
        ran.extend([description] if "level" in description else [])
        return run(self, stages, group, description)

    monkeypatch.setattr(Exchange, "run", noted)
    return ran


def test_small_levels_are_the_drivers(
    check: Check, monkeypatch: pytest.MonkeyPatch, jobs: list[str]
) -> None:
    """They need no job of Spark; from the first large level on, and back again, they go on from the
    same tables and the same log."""
    design = load("kip320", replicas=2)
    wanted = native.check(design)
    for spread, most in ((WORTH_SPREADING, 0), (400, 15)):
        monkeypatch.setattr(Session, "spread", spread)
        found = check(design)
        assert (found.distinct, found.generated) == (wanted.distinct, wanted.generated)
        assert len(jobs) <= most
    assert jobs


@pytest.mark.parametrize(("most", "wanted"), [(1, 18), (4, 5)])
def test_small_levels_are_made_together(
    check: Check, monkeypatch: pytest.MonkeyPatch, jobs: list[str], most: int, wanted: int
) -> None:
    """One job makes several of them; each counts by itself, as limits and verdicts show."""
    monkeypatch.setattr(Session, "spread", 0)
    monkeypatch.setattr(search, "MOST_TOGETHER", most)
    design = load("kip320", replicas=2)
    assert check(design).levels == native.check(design).levels
    assert len(jobs) == wanted


@pytest.mark.parametrize("text", [LINE, BOUNDED, STARTS, FAILING], ids=str.split)
def test_written(tmp_path: Path, check: Check, text: str) -> None:
    """Shortest traces, dead ends, step properties, constraints, many initial states, a failure."""
    same(check, design_of(tmp_path, text), keep_going=True, deadlock=True)


def test_stops_at_the_first_violation(tmp_path: Path, check: Check) -> None:
    """As the native engine does, and at limits."""
    same(check, design_of(tmp_path, LINE))
    same(check, design_of(tmp_path, LINE), keep_going=True, max_depth=3)
    same(check, design_of(tmp_path, LINE), keep_going=True, max_states=4)


def test_a_property_is_left_alone_once_it_is_violated(tmp_path: Path, check: Check) -> None:
    """In later levels: there it might even fail."""
    text = LINE.replace("return s.at < 7", "return [True, True, False, True, True][s.at]")
    same(check, design_of(tmp_path, text), keep_going=True)


def test_orbits(check: Check) -> None:
    """A symmetric search, whose traces are found again by the interpreter."""
    design = load("two-phase-commit-impatient", participants=3)
    same(check, design, symmetry=True, keep_going=True)


def test_orbits_of_slots(tmp_path: Path, check: Check) -> None:
    """Slots of actors are sorted anew by the tasks as well."""
    same(check, design_of(tmp_path, RING), symmetry=True, keep_going=True, max_depth=6)


@pytest.mark.parametrize("name", ["office", "forgetful", "crowd", "failing"])
def test_refinements(tmp_path: Path, check: Check, name: str) -> None:
    """One that holds, that a step or an initial state breaks, that fails; with symmetry too."""
    same(check, design_of(tmp_path, QUEUE, name), symmetry=True)


def test_a_shipped_design(check: Check) -> None:
    """Thousands of states in states of several fields, and a counterexample through them."""
    same(check, load("kip320-first-try", replicas=2, max_leader_epoch=1), keep_going=True)


def test_traces_through_large_levels(
    tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Levels that are too large for the driver are looked through by tasks."""
    monkeypatch.setattr("specmodel.engines.spark.search.TRACED_HERE", 0)
    same(check, design_of(tmp_path, LINE))


def test_partial_order(check: Check) -> None:
    """The reduction is the kernel's, so it is the same."""
    design = load("two-phase-commit", participants=2)
    options = Options(partial_order=True, properties=("agreement",))
    found = check(design, partial_order=True, properties=("agreement",))
    wanted = native.check(design, options)
    assert (found.distinct, found.generated, found.reduced) == (
        wanted.distinct,
        wanted.generated,
        wanted.reduced,
    )


def test_unmet_antecedents(tmp_path: Path, check: Check) -> None:
    """A property that holds for want of cases is warned of, as by the native engine."""
    design = design_of(tmp_path, HOLLOW)
    wanted = native.check(design, Options(keep_going=True))
    assert wanted.unmet
    assert check(design, keep_going=True).unmet == wanted.unmet


def test_no_initial_state(tmp_path: Path, check: Check) -> None:
    """A design that cannot start is a mistake, not a success."""
    with pytest.raises(SpecmodelError, match="no initial state"):
        check(design_of(tmp_path, STARTS.replace("at < 3", "at > 3")))


def test_what_it_does_not_do(tmp_path: Path, check: Check) -> None:
    """Options of the native engine are refused before a Java machine is started, and so is what
    takes the graph of all states."""
    design = design_of(tmp_path, LINE)
    for name, value in {"spill": tmp_path, "fingerprint": True, "coverage": True}.items():
        with pytest.raises(UsageError, match="not for the spark engine"):
            registry.engine("spark").check(design, Options(**{name: value}))
    with pytest.raises(UsageError, match="is temporal"):
        options = Options(properties=("all_finished",))
        registry.engine("spark").check(load("two-phase-commit-blocked", participants=1), options)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(catalog((shipped(),)).designs))
def test_library(check: Check, name: str) -> None:
    """Every shipped design at its default bounds, past violations."""
    design = load(name)
    stated = tuple(rule.name for rule in design.chosen(None) if not is_temporal(rule))
    if stated:
        same(check, design, keep_going=True, properties=stated, symmetry=design.symmetry)
