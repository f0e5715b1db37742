"""Temporal properties against TLC: two specs with fairness, written both ways."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from specmodel import api
from tests.docs.pages import ROOT
from tests.oracle.liveness import MODULES, RESULTS, judged_by_tlc

ROWS: list[dict[str, Any]] = json.loads(RESULTS.read_text(encoding="utf-8"))
SPECS = sorted({row["spec"] for row in ROWS})


def test_the_oracle_covers_every_formula_and_property() -> None:
    """A row that went missing would be a comparison that nobody makes."""
    wanted = {
        (f"{module.file}:{spec}", name)
        for module in MODULES
        for spec in module.specs.values()
        for name in module.properties
    }
    assert {(row["spec"], row["property"]) for row in ROWS} == wanted
    assert {row["verdict"] for row in ROWS} == {"holds", "violated"}


@pytest.mark.parametrize("engine", ["native", "interpret"])
@pytest.mark.parametrize("spec", SPECS)
def test_verdicts_are_those_of_tlc(spec: str, engine: str) -> None:
    """All four kinds of properties under seven formulas of weak and strong fairness a module."""
    result = api.check(str(ROOT / "tests" / "specs" / spec), engine=engine)
    expected = {row["property"]: row["verdict"] for row in ROWS if row["spec"] == spec}
    assert {p.name: p.verdict for p in result.properties} == expected


@pytest.mark.long
@pytest.mark.skipif("TLC_CLASSPATH" not in os.environ, reason="TLC is not here")
def test_tlc_says_so_still() -> None:
    """The recorded verdicts are those of the modules as they are."""
    assert judged_by_tlc(os.environ["TLC_CLASSPATH"]) == ROWS
