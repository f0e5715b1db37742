"""The engines agree on everything: counts, coverage, verdicts, traces, failures, whatever the
number of workers."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from specmodel.constants import Value
from specmodel.design import Design
from specmodel.engines import interpret, native
from specmodel.lang.loading import load_module
from specmodel.results import Options
from tests.engines.outcomes import outcome
from tests.random_specs import few, many, refusals_allowed, spec_sources

ROOT = Path(__file__).parents[2]
SMALL: dict[str, dict[str, Value]] = {
    "models/kafka/replication/designs.py": {"replicas": 2, "max_leader_epoch": 1},
    "models/kafka/async_isr/designs.py": {"replicas": 2},
    "models/examples/two_phase_commit.py": {"participants": 2},
    "tests/specs/tour.py": {"most": 1},
    "tests/specs/election.py": {"terms": 1},
}
"""Files of designs, and constants with which the interpreter explores them in a moment."""

WORKERS = [1, 2, 3]


def designs() -> list[tuple[str, str]]:
    return [
        (file, name)
        for file, bound in SMALL.items()
        for name in load_module(ROOT / file, bound).specs
    ]


def load(file: str, name: str) -> Design:
    loaded = load_module(ROOT / file, SMALL[file])
    return Design(name, loaded.spec(name), loaded.constants)


@pytest.mark.parametrize(("file", "name"), designs())
def test_designs(file: str, name: str) -> None:
    """Every shipped design in the small, past violations, with dead ends reported."""
    design = load(file, name)
    wanted = outcome(interpret.check, design, Options(keep_going=True, deadlock=True))
    for workers in WORKERS[:2]:
        options = Options(keep_going=True, deadlock=True, workers=workers)
        assert outcome(native.check, design, options) == wanted, workers


MEDIUM = ("models/kafka/replication/designs.py", "truncate_to_hw")

OPTIONS = [
    {},
    {"deadlock": True},
    {"properties": ("strong_isr",)},
    {"properties": ("strong_isr", "weak_isr"), "keep_going": True},
    {"keep_going": True, "max_depth": 1},
    {"keep_going": True, "max_depth": 9},
    {"keep_going": True, "max_states": 1},
    {"keep_going": True, "max_states": 500},
]


@pytest.mark.parametrize("given", OPTIONS, ids=str)
def test_options(given: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a search stops does not depend on who searches."""
    design = load(*MEDIUM)
    wanted = outcome(interpret.check, design, Options(**given))  # type: ignore[arg-type]
    for workers in WORKERS:
        options = Options(**given, workers=workers)  # type: ignore[arg-type]
        assert outcome(native.check, design, options) == wanted, workers


@few(8)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """Random small specs, as far as they go in a few levels; many of them fail on the way."""
    compare_random_spec(text)


@pytest.mark.long
@many(300)
@given(spec_sources())
def test_many_random_specs(text: str) -> None:
    """As above, at leisure."""
    compare_random_spec(text)


def compare_random_spec(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        design = Design("random", load_module(file).spec("spec"), {})
        limits = {"max_states": 200, "max_depth": 6, "keep_going": True, "deadlock": True}
        wanted = outcome(interpret.check, design, Options(**limits))  # type: ignore[arg-type]
        for workers in (1, 2):
            options = Options(**limits, workers=workers)  # type: ignore[arg-type]
            with refusals_allowed():
                assert outcome(native.check, design, options) == wanted, workers
