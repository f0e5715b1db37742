"""Numbers of 32 bits: what may be greater is computed up to the limit, and fails beyond."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.api import check
from specmodel.results import SpecFailure
from specmodel.tla import checking
from specmodel.tla.loading import load_module

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE Power ----
EXTENDS Integers
VARIABLES x, rest
Init == x = -3 /\\ rest = 0
Next == /\\ x' = IF x < {last} THEN x + 1 ELSE IF x < 2000000 THEN 2000000 ELSE -2000000
        /\\ rest' = IF x < 75 THEN (x * x * x * x * x) % 11 ELSE 1
Within == x > -10
====
"""


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "FIRST_STATES", 1)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)


def module(folder: Path, last: int) -> Path:
    """A module that takes powers of all numbers up to the last."""
    file = folder / "Power.tla"
    file.write_text(MODULE.format(last=last))
    file.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTRAINT Within\n")
    return file


def test_they_need_not_fit_where_they_are_not_computed(tmp_path: Path) -> None:
    """By their types, the powers have a hundred bits. TLC's numbers are the same."""
    file = module(tmp_path, 70)
    found, evaluated = (check(load_module(file), engine=e) for e in ("native", "interpret"))
    assert found.engine == "native"
    for each in (found, evaluated):
        assert (each.distinct, each.generated, each.depth) == (75, 76, 75)


def test_a_number_that_is_too_large_is_an_error(tmp_path: Path) -> None:
    """74 to the fifth is the first, and the trace leads there, as TLC's does."""
    file = module(tmp_path, 80)
    for engine in ("native", "interpret"):
        with pytest.raises(SpecFailure, match="32 bits") as failed:
            check(load_module(file), engine=engine)
        assert failed.value.trace is not None
        assert str(failed.value.trace.states[-1]).count("74") == 1
        assert len(failed.value.trace.states) == 78
