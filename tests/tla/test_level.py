"""TLCGet("level"): a last variable of the states, which tells no states apart.

What TLC counts is in `tlc.json`, of the module Leveled.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.api import check, simulate
from specmodel.errors import SpecError
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.model import TlaModel
from tests.conftest import Specmodel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE Walk ----
EXTENDS Naturals, TLC
VARIABLE x
Level == TLCGet("level")
Init == x = 0
Started == x = Level
Next == x' = (x + 1) % 9
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Near == Level < 5
Here == x < Level
Goes == <>(x = 3)
Hidden == x
Named == Permutations({})
====
"""


def walk(folder: Path, *lines: str) -> Path:
    """The module with the lines of a configuration."""
    path = folder / "Walk.tla"
    path.write_text(MODULE)
    path.with_suffix(".cfg").write_text("\n".join(lines) + "\n")
    return path


SPEC = "SPECIFICATION Spec"


@pytest.mark.parametrize("engine", ["interpret", "native"])
def test_a_state_is_found_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """A state that is met again has another level, and is not another state."""
    if engine == "native":
        monkeypatch.setattr(checking, "FIRST_STATES", 1)
    told: list[str] = []
    design = load_module(walk(tmp_path, SPEC, "INVARIANT Here"))
    found = check(design, engine=engine, workers=1, remark=told.append)
    assert (found.engine, found.distinct, found.generated) == (engine, 9, 10)
    assert found.verdict == "holds" and not told


def test_only_what_reads_it_has_it(tmp_path: Path) -> None:
    """States have their level where what is checked needs it, and not for a definition alone."""

    def variables(*lines: str) -> list[str]:
        model = load_module(walk(tmp_path, SPEC, *lines)).spec
        assert isinstance(model, TlaModel)
        return model.specification.variables

    assert variables() == ["x"]
    assert variables("CONSTRAINT Near") == ["x", 'TLCGet("level")']


def test_the_trace_and_why(tmp_path: Path, specmodel: Specmodel) -> None:
    """Traces show it, and a step can be explained."""
    path = walk(tmp_path, "INIT Init", "NEXT Next", "INVARIANT Here", "CHECK_DEADLOCK FALSE")
    path.write_text(MODULE.replace("x < Level", "Level < 3"))
    ran = specmodel("check", path, "--trace-out", tmp_path / "t.yaml")
    assert ran.code == 1
    assert 'TLCGet("level")  2 → 3' in ran.out
    ran = specmodel("trace", tmp_path / "t.yaml", "--design", path)
    assert ran.code == 0 and 'TLCGet("level")  2 → 3' in ran.out


def test_walks(tmp_path: Path) -> None:
    """In a random walk, it is the number of the state, which is not that of a search."""
    design = load_module(walk(tmp_path, "INIT Init", "NEXT Next", "INVARIANT Here"))
    found = simulate(design, walks=2, depth=12)
    assert found.verdict != "violated"
    path = walk(tmp_path, "INIT Init", "NEXT Next", "INVARIANT Here")
    path.write_text(MODULE.replace("x < Level", "Level < 12"))
    found = simulate(load_module(path), walks=2, depth=20)
    assert found.verdict == "violated"


def test_an_initial_state_has_none(tmp_path: Path) -> None:
    """TLC has 0 while it evaluates Init, where it is refused, also if all else may read it."""
    with pytest.raises(SpecError, match="not supported"):
        check(load_module(walk(tmp_path, "INIT Started", "NEXT Next")))
    with pytest.raises(SpecError, match=r'TLCGet\("level"\) is not supported in Init'):
        check(load_module(walk(tmp_path, "INIT Started", "NEXT Next", "CONSTRAINT Near")))


def test_temporal_properties(tmp_path: Path) -> None:
    """They are not decided beside it; all else is."""
    found = check(load_module(walk(tmp_path, SPEC, "INVARIANT Here", "PROPERTY Goes")))
    assert {p.name: p.verdict for p in found.properties} == {
        "Here": "holds",
        "Goes": "incomplete",
        "deadlock": "holds",
    }


def test_a_view(tmp_path: Path) -> None:
    """A VIEW of the module's own is followed."""
    found = check(load_module(walk(tmp_path, SPEC, "INVARIANT Here", "VIEW Hidden")))
    assert (found.distinct, found.generated) == (9, 10)
