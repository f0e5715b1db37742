"""The types of a module are kept: the next command begins with them, and with nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.results import Result
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.search import TlaSearch
from specmodel.tla.symbolic import running
from specmodel.tla.symbolic.model import CompiledModel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE Late ----
EXTENDS Integers, Sequences
CONSTANTS None, Who
VARIABLES x, seen
Init == x = 0 /\\ seen = {}
\\* Only far from the beginning is there a record with another name in it.
Next == \\/ /\\ x < 60 /\\ x' = x + 1
           /\\ seen' = IF x = 50 THEN {[to |-> Who, text |-> <<"end">>]} ELSE seen
        \\/ /\\ x' = 0 /\\ seen = {} /\\ seen' = {[to |-> None, text |-> <<>>]}
Spec == Init /\\ [][Next]_<<x, seen>>
Low == x < LIMIT
====
"""
CONFIG = """CONSTANTS None = None
 Who = W
SPECIFICATION Spec
INVARIANT Low
CHECK_DEADLOCK FALSE
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module whose types the beginning of a search does not show, and which no run has seen."""
    monkeypatch.setattr(checking, "FIRST_STATES", 5)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    path = tmp_path / "Late.tla"
    path.write_text(f"This is {path} of {time.time()}.\n{MODULE}".replace("LIMIT", "100"))
    path.with_suffix(".cfg").write_text(CONFIG)
    return path


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is done before the last search: levels that are evaluated, and types that are tried."""
    done: list[str] = []
    advance, compiled = TlaSearch.advance, running.compiled_model

    def level(self: TlaSearch) -> list[int]:
        done.append("level")
        return [*advance(self)]

    def model(*given: Any) -> CompiledModel:
        done.append("types")
        return compiled(*given)

    monkeypatch.setattr(TlaSearch, "advance", level)
    monkeypatch.setattr(running, "compiled_model", model)
    monkeypatch.setattr("specmodel.tla.symbolic.sampling.WALK_LENGTH", 2)
    yield done


def figures(found: Result) -> tuple[object, ...]:
    """What a result counts."""
    return found.verdict, found.distinct, found.generated, found.depth


def test_a_second_check_begins_with_the_last_types(module: Path, tries: list[str]) -> None:
    """It evaluates no level and compiles once, with the same result."""
    first = check(load_module(module))
    assert "level" in tries and tries.count("types") > 1
    tries.clear()
    second = check(load_module(module))
    assert tries == ["types"]
    assert second.engine == "native" and second.verdict == "holds"
    assert figures(first) == figures(second)
    assert figures(second) == figures(check(load_module(module), engine="interpret"))


@pytest.mark.parametrize("part", ["module", "configuration", "constants"])
def test_another_module_has_types_of_its_own(module: Path, tries: list[str], part: str) -> None:
    """A change of the module or of its configuration asks for a sample."""
    check(load_module(module))
    tries.clear()
    if part == "module":
        module.write_text(module.read_text().replace("x < 60", "x < 70"))
    elif part == "configuration":
        module.with_suffix(".cfg").write_text(CONFIG.replace("= W", "= V"))
    else:
        text = module.read_text().replace("< 100", "< Most")
        module.write_text(text.replace("None, Who", "None, Who, Most"))
        module.with_suffix(".cfg").write_text(CONFIG + "CONSTANT Most = 100\n")
        check(load_module(module))
        tries.clear()
        assert check(load_module(module, constants={"Most": 20})).verdict == "violated"
    if part != "constants":
        check(load_module(module))
    assert "level" in tries


def test_a_small_space_is_evaluated_again(
    module: Path, tries: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Types are kept of spaces only that are too large for the evaluator."""
    monkeypatch.setattr(checking, "FIRST_STATES", 1000)
    check(load_module(module), coverage=True)
    assert tries.count("types") == 1
    assert check(load_module(module)).engine == "interpret"
