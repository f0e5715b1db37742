"""An engine is a value: commands, refusals, help and `doctor` follow from it alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from specmodel import UsageError, api
from specmodel.cli import groups
from specmodel.cli.options import Search
from specmodel.engines import registry
from specmodel.environment import findings
from tests.conftest import Specmodel
from tests.engines.breadth_first import ENGINE


@pytest.fixture(autouse=True)
def _one_more_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def forget_options() -> None:
        Search.__dict__["_parameter"].__func__.cache_clear()
        groups._parameters.cache_clear()  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setitem(registry.ENGINES, ENGINE.name, ENGINE)
    monkeypatch.delitem(sys.modules, "specmodel.cli.check", raising=False)  # it read the options
    forget_options()
    yield
    forget_options()


def test_an_engine_more_is_one_value_more(specmodel: Specmodel) -> None:
    """It checks, by Python and by command, and `--help` names it."""
    result = api.check("two-phase-commit", engine="breadth", participants=1)
    assert result.verdict == "holds"
    ran = specmodel("check", "two-phase-commit", "--engine", "breadth")
    assert ran.code == 0, ran.err
    assert "smt or breadth" in specmodel("check", "--help").out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["check", "two-phase-commit", "--compress"], "the breadth engine has no --compress"),
        (["simulate", "two-phase-commit"], "the breadth engine makes no random walks"),
        (["check", "two-phase-commit-prompt"], "the breadth engine decides nothing temporal"),
    ],
)
def test_what_it_cannot_do_is_refused(specmodel: Specmodel, command: list[str], said: str) -> None:
    """Options that it does not name, walks, and temporal properties."""
    ran = specmodel(*command, "--engine", "breadth")
    assert ran.code == UsageError.exit_code
    assert said in ran.err


def test_doctor_looks_for_its_packages() -> None:
    """And says with which extra pip installs them."""
    found = next(f for f in findings() if f.name == "an engine of a test")
    assert (found.state, found.remedy) == ("missing", "pip install 'specmodel[breadth]'")
