"""A search on Spark checks itself: tasks draw the sample, the driver compares it with CPython."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.engines import native
from specmodel.errors import Disagreement
from specmodel.ir import nodes as ir
from specmodel.ir.symbolic.execute import Execution
from specmodel.ir.symbolic.graph import Node
from specmodel.results import Options
from tests.engines.spark.conftest import Check
from tests.selfcheck.specs import desk


def test_the_sample_of_the_native_engine(check: Check, tmp_path: Path) -> None:
    """Which states are drawn depends neither on the engine nor on the tasks; few are all taken."""
    large = load("two-phase-commit", participants=4)
    for design in (large, desk(tmp_path)):
        found = check(design, keep_going=True).self_check
        assert found is not None
        wanted = native.check(design, Options(keep_going=True)).self_check
        assert wanted is not None
        assert found.states == wanted.states
    assert check(desk(tmp_path), self_check=0).self_check is None
    found = check(large, self_check="all").self_check
    assert found is not None
    assert found.states == native.check(large, Options()).distinct


def test_wrong_kernel(check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A property that the kernel has the wrong way round."""
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    judge = Execution.property

    def wrong(self: Execution, function: ir.Function, *rest: Any) -> Node:
        node = judge(self, function, *rest)
        return self.graph.negate(node) if function.name == "few" else node

    monkeypatch.setattr(Execution, "property", wrong)
    with pytest.raises(Disagreement, match="the spark engine and CPython disagree"):
        check(desk(tmp_path), keep_going=True)
