"""The arms of an IF, a CASE or a `=>` are one possible step, where a state takes one at most."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specmodel.api import check
from specmodel.results import SpecFailure
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.symbolic import running, steps
from specmodel.tla.symbolic.sampling import WALK_SECONDS, TypeExceeded, TypeFinder
from tests.tla.oracle import MODULES, RESULTS
from tests.tla.test_step_properties import compiled

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")


@pytest.fixture(autouse=True)
def joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arms are one step in short actions too; other code is not known."""
    monkeypatch.setattr(steps, "FEW_WAYS", 1)
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(checking, "FIRST_STATES", 1)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)


def test_the_numbers_are_those_of_tlc() -> None:
    """Also where a recursive operator, or one that is an argument, has several ways."""
    found = check(load_module(MODULES / "Arms.tla"), engine="native")
    wanted = json.loads(RESULTS.read_text())["Arms"]
    assert found.engine == "native"
    assert [found.generated, found.distinct, found.depth] == [
        wanted[name] for name in ("generated", "distinct", "depth")
    ]


def test_short_actions_have_a_step_for_each_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a step computes the next values of no other arm."""
    monkeypatch.setattr(steps, "FEW_WAYS", 8)
    found = compiled(MODULES / "Arms.cfg").module.own.steps
    assert sum(not step.never for step in found["Rest"]) == 2


def test_how_many_steps() -> None:
    """Choices within an arm are steps each, and so are arms that assign other variables."""
    made = compiled(MODULES / "Arms.cfg").module.own.steps
    found = {name: sum(not step.never for step in each) for name, each in made.items()}
    assert found == {
        "Work": 2, "Uneven": 2, "Rest": 1, "Choose": 3, "Every": 2,
        "Recursive": 4, "Given": 3, "Counted": 24,
    }  # fmt: skip


MODULE = """---- MODULE Failing ----
EXTENDS Integers, Sequences
VARIABLES queue, taken
Init == queue = <<1, 2, 3>> /\\ taken = 0
Next == /\\ IF taken < 2 THEN queue' = Tail(queue) ELSE queue' = <<>> /\\ queue # <<>>
        /\\ taken' = CASE taken = 0 -> Head(queue)
                      [] taken = 1 -> 10 \\div Len(queue') + 2
                      [] OTHER -> {last}
====
"""


@pytest.mark.parametrize(
    "last, wrong, states",
    [
        ("Head(queue)", "", 4),
        ("Head(queue')", "Head(queue')", 3),
        ("queue[4 - taken]", "queue[4 - taken]", 3),
    ],
)
def test_an_arm_fails_where_it_is_taken(tmp_path: Path, last: str, wrong: str, states: int) -> None:
    """The evaluator and compiled code end in the same state."""
    file = tmp_path / "Failing.tla"
    file.write_text(MODULE.format(last=last))
    file.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    for engine in ("interpret", "native"):
        found: tuple[str, int | None]
        try:
            found = "", check(load_module(file), engine=engine).distinct
        except SpecFailure as failure:
            assert failure.trace is not None and failure.span is not None
            found = failure.span.text(), len(failure.trace.states)
        assert found == (wrong, states), engine


def test_a_long_compilation_is_worth_a_long_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a value beyond its type, random walks look for others for a share of the lost time."""
    walks: list[float] = []
    monkeypatch.setattr(TypeFinder, "walk", lambda self, starts, seconds=0.0: walks.append(seconds))
    monkeypatch.setattr(running, "WALK_SHARE", 1e6)
    tried: list[int] = []
    make = running.compiled_model

    def once_too_narrow(*given: object) -> object:
        tried.append(1)
        if len(tried) == 1:
            raise TypeExceeded(())
        return make(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "compiled_model", once_too_narrow)
    found = check(load_module(MODULES / "Arms.tla"), engine="native")
    assert found.distinct == 120
    assert max(walks) > WALK_SECONDS
