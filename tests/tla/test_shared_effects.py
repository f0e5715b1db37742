"""Possible steps of a TLA+ module that do the same with other constants share one function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specmodel.kernel import program
from specmodel.kernel.program import Program
from specmodel.kernel.shapes import shared
from tests.tla.oracle import configurations
from tests.tla.test_compiled import compiled as search
from tests.tla.test_step_properties import compiled

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")


def configuration(name: str) -> Path:
    """The configuration of a name."""
    return next(path for path in configurations() if path.stem == name)


def test_constants_become_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four possible steps of a queue differ in one constant alone."""
    monkeypatch.setattr(program, "MOST_REPEATED", 0)
    model = compiled(configuration("Queue"))
    made = Program(model, ())
    shapes, moves = shared(made.graph, made.leaves, made.moves())
    assert [move.number for move in moves] == [move.number for move in made.moves()]
    whole = next(shape for shape in shapes if len(shape.numbers) == 4)
    assert len({*whole.table}) > 1
    assert {move.function for move in moves if move.number in whole.numbers} == {whole.move.number}


@pytest.mark.parametrize("name", ["Locks", "Queue", "Bank", "Clock-skipping"])
@pytest.mark.parametrize("most", [0, 10**9], ids=["shared", "alone"])
def test_the_same_states(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step and every state is the evaluator's, with shared code and without."""
    paths = [path for path in configurations() if path.stem == name]
    monkeypatch.setattr(program, "MOST_REPEATED", most)
    for path in paths:
        found: Any = search(path)
        assert found.self_check is not None and found.self_check.states == found.distinct
