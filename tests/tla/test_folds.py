"""Folds over the members that a set may have: how much there is to compute, and what fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.results import Options, SpecFailure
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.search import TlaSearch
from specmodel.tla.symbolic.compiled import CompiledModule
from specmodel.tla.symbolic.evaluation import TermEvaluation
from specmodel.tla.symbolic.sampling import TypeFinder
from tests.tla.oracle import MODULES

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = MODULES / "FoldedBags.tla"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "FIRST_STATES", 1)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)


def test_twice_the_members_are_four_times_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them may be added to a bag that may have each of them."""
    calls: list[Any] = []
    value: Any = TermEvaluation.value

    def counted(self: TermEvaluation, *given: Any) -> Any:
        calls.append(None)
        return value(self, *given)

    monkeypatch.setattr(TermEvaluation, "value", counted)

    def evaluations(largest: int) -> int:
        design: Any = load_module(MODULE, constants={"Largest": largest})
        search = TlaSearch(design, Options())
        search.run()
        finder = TypeFinder(design.spec.specification)
        finder.take(state for state, _ in search.seen.values())
        calls.clear()
        assert CompiledModule(finder.spec, finder.types).own.steps
        return len(calls)

    assert evaluations(4) < 5 * evaluations(2)


def test_an_order_that_matters_is_refused(tmp_path: Path) -> None:
    """Evaluated and compiled alike: names have no order."""
    file = tmp_path / "FoldedBags.tla"
    text = MODULE.read_text()
    assert "ELSE bag, EmptyBag" in text
    file.write_text(text.replace("ELSE bag, EmptyBag", "ELSE EmptyBag, EmptyBag"))
    file.with_suffix(".cfg").write_text(MODULE.with_suffix(".cfg").read_text())
    told: list[str] = []
    for engine in ("native", "interpret"):
        with pytest.raises(SpecFailure, match="depends on the order") as failed:
            check(load_module(file), engine=engine)
        told.append(failed.value.message)
    assert told[0] == told[1]


def test_a_value_that_is_not_used_need_not_exist(tmp_path: Path) -> None:
    """The first function has none for an argument that the next one does not have."""
    file = tmp_path / "Partly.tla"
    file.write_text(
        "---- MODULE Partly ----\nEXTENDS Integers, FiniteSetsExt\nVARIABLE x\n"
        "Add(n, f) == [i \\in (IF n = 1 THEN 0 ELSE 1)..3 |-> f[i] + (n * 12) \\div (i + x)]\n"
        "Init == x = 0\n"
        "Next == x' = FoldSet(Add, [i \\in 0..3 |-> 0], {n \\in 1..3 : n > x})[2] % 5\n====\n"
    )
    file.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    found, evaluated = (check(load_module(file), engine=e) for e in ("native", "interpret"))
    assert found.engine == "native"
    assert (found.distinct, found.generated) == (evaluated.distinct, evaluated.generated)
