"""Community modules that this package brings: their names yield to those of a user.

What their operators mean is in `modules/Community.tla`, which TLC checks as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Specmodel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")


def module(folder: Path, name: str, extends: str, body: str) -> Path:
    path = folder / f"{name}.tla"
    path.write_text(f"---- MODULE {name} ----\n{extends}\n{body}\n====\n")
    (folder / f"{name}.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    return path


STATES = "VARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1"


@pytest.mark.parametrize(
    ("extends", "body"),
    [
        ("EXTENDS SequencesExt", "Remove(s, e) == 7\nASSUME Remove(<<>>, 1) = 7"),
        ("EXTENDS SequencesExt", "Max(S) == 7\nASSUME Max({}) = 7"),
        ("EXTENDS SequencesExt", "ASSUME Append(<<>>, 1) = <<1>> /\\ Cardinality({1}) = 1"),
        ("EXTENDS Sequences, SequencesExt, Graphs", "ASSUME IsDag(EmptyGraph)"),
        ("EXTENDS Naturals", "S == INSTANCE SequencesExt\nASSUME S!Last(<<1, 2>>) = 2"),
        ("EXTENDS Naturals", "LOCAL INSTANCE Functions\nASSUME IsInjective(<<1, 2>>)"),
    ],
)
def test_names(tmp_path: Path, specmodel: Specmodel, extends: str, body: str) -> None:
    """A definition of a user comes first; what a module extends is there, too."""
    more = "" if "SequencesExt" in extends or "Naturals" in extends else ", Naturals"
    ran = specmodel("check", module(tmp_path, "M", extends + more, f"{STATES}\n{body}"))
    assert ran.code == 0, ran.err
    assert "4 states" in ran.out


def test_a_file_beside_the_module_comes_first(tmp_path: Path, specmodel: Specmodel) -> None:
    """It is another version, or another module."""
    (tmp_path / "Graphs.tla").write_text("---- MODULE Graphs ----\nIsDag(G) == G = 5\n====\n")
    body = f"{STATES}\nASSUME IsDag(5)"
    assert specmodel("check", module(tmp_path, "M", "EXTENDS Naturals, Graphs", body)).code == 0


@pytest.mark.parametrize(
    ("extends", "body", "said"),
    [
        ("EXTENDS Graphs, UndirectedGraphs", "", "is defined already"),
        ("EXTENDS Graph", "", 'did you mean "Graphs"'),
        ("EXTENDS Graphs", "ASSUME Reached(EmptyGraph, {}) = {}", "Reached"),
    ],
)
def test_refused(tmp_path: Path, specmodel: Specmodel, extends: str, body: str, said: str) -> None:
    """Two modules with other meanings of a name, as in TLC; a wrong name; a LOCAL one."""
    ran = specmodel("check", module(tmp_path, "M", extends, f"{STATES}\n{body}"))
    assert ran.code == 2
    assert said in ran.err
