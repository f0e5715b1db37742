"""A value that several places use fails where one of them is evaluated."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.api import check
from specmodel.ir.symbolic.graph import Graph
from specmodel.results import SpecFailure
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.symbolic.path import EvaluationPath, NotedFailures

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE Used ----
EXTENDS Integers
VARIABLES x, y
Init == x = 9 /\\ y = 0
Do(p) == x > 0 /\\ x' = x - 1
Either(p) == x' = x \\/ (x' = p /\\ y' = p)
Next == LET v == 10 \\div (x - 3) IN {body}
====
"""

BODIES = {
    "as an argument that is not needed, and after it": "Do(v) /\\ y' = v",
    "in two conditions": "v # 0 /\\ x' = x - 1 /\\ y' = v",
    "where an action is enabled, and after it": "ENABLED Either(v) /\\ Do(0) /\\ y' = v",
    "under a condition, and under another": "Do(0) /\\ y' = IF y > 20 THEN v ELSE v + 1",
}


@pytest.mark.parametrize("body", BODIES)
def test_it_fails_in_compiled_code_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    """The search ends where the evaluator's does, with the same trace."""
    monkeypatch.setattr(checking, "FIRST_STATES", 1)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    path = tmp_path / "Used.tla"
    path.write_text(MODULE.format(body=BODIES[body]))
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    traces: list[list[str]] = []
    for engine in ("interpret", "native"):
        with pytest.raises(SpecFailure, match="div") as failed:
            check(load_module(path), engine=engine, self_check=0)
        assert failed.value.trace is not None
        traces.append([*map(str, failed.value.trace.states)])
    assert len(traces[0]) == 7 and traces[0] == traces[1]


def test_it_does_no_harm_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An argument without a value that nothing needs is no failure."""
    monkeypatch.setattr(checking, "FIRST_STATES", 1)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    path = tmp_path / "Used.tla"
    path.write_text(MODULE.format(body="Do(v) /\\ y' = IF x = 3 THEN 0 ELSE v"))
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    found, alone = check(load_module(path)), check(load_module(path), engine="interpret")
    assert found.engine == "native" and found.verdict == "holds"
    assert (found.distinct, found.depth) == (alone.distinct, alone.depth) == (10, 10)


@pytest.mark.parametrize("gone", ["not", "dropped", "spared", "others"])
def test_they_are_noted_once(gone: str) -> None:
    """A value that is used again notes its failures only if they are not noted any more."""
    graph = Graph()
    path = EvaluationPath(graph)
    before, wrong, other = (graph.eq(graph.leaf(i, 3), graph.int(1)) for i in range(3))
    path.fail(before, "before", None)
    path.fail(wrong, "wrong", None)
    noted = NotedFailures(path, 1)
    if gone == "spared":
        path.spare(1, other)
    elif gone != "not":
        del path.failures[1:]
    if gone == "others":
        path.fail(other, "other", None)
    noted.note()
    found = [message for node, message, _ in path.failures if node in (before, wrong, other)]
    wanted = {"others": ["before", "other", "wrong"]}.get(gone, ["before", "wrong"])
    assert found == wanted and len(path.failures) == len(wanted) + (gone == "spared")
