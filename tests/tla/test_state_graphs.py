"""State graphs of modules, and expressions of TLA+ over their states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specmodel.errors import ExpressionError, UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.opening import open_target
from specmodel.explorer.reading import DesignReading
from specmodel.graphs.model import DrawnGraph
from specmodel.graphs.requests import Wanted, states_graph
from specmodel.ir.expression import NoValueError
from specmodel.tla.loading import load_module
from specmodel.tla.model import TlaModel
from specmodel.tla.search import initial_states
from tests.conftest import Specmodel
from tests.tla.oracle import MODULES, RESULTS, configurations, module_of

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

TLC: dict[str, Any] = json.loads(RESULTS.read_text())
FEW = 400


def small(path: Path) -> bool:
    """Whether a configuration has few states, each of which TLC counts."""
    if path.stem == "Leveled":  # some of its states have two levels
        return False
    text, states = path.read_text(), TLC[path.stem].get("distinct", 0)
    return 0 < states <= FEW and not any(w in text for w in ("VIEW", "SYMMETRY", "ASSUME"))


def graph_of(config: Path, **wanted: Any) -> DrawnGraph:
    """A graph of the states of a module."""
    return states_graph(load_module(module_of(config), config), Wanted(**wanted))


@pytest.mark.parametrize(
    "file", [path for path in configurations() if small(path)], ids=lambda path: path.stem
)
def test_all_states_and_steps(file: Path) -> None:
    """The nodes are TLC's distinct states, and the steps the states that it generates."""
    graph, found = graph_of(file, most=FEW), TLC[file.stem]
    assert len(graph.nodes) == found["distinct"]
    assert max(node.depth for node in graph.nodes) == found["depth"]
    spec = load_module(module_of(file), file).spec
    assert isinstance(spec, TlaModel)
    begun = len(list(initial_states(spec.specification)))  # TLC counts equal ones, too
    steps = sum(edge.steps for edge in graph.edges)
    if "CONSTRAINT" not in file.read_text():
        assert steps + begun == found["generated"]
    depths = graph_of(file, by_depth=True)
    assert len(depths.nodes) == found["depth"]
    assert sum(edge.steps for edge in depths.edges) == steps


JUGS = MODULES / "Jugs-solved.cfg"


def test_violating_states_and_labels() -> None:
    """The states in which an invariant is false are marked, and steps are labelled."""
    graph = graph_of(JUGS)
    assert [node.lines for node in graph.nodes if node.violating] == [
        ("big: 4", "small: 3"),
        ("big: 4", "small: 0"),
    ]
    first = [edge for edge in graph.edges if edge.source == "1" and edge.target != "1"]
    assert [(edge.action, edge.labels, edge.changed) for edge in first] == [
        ("Fill", ("Fill()",), ("small",)),
        ("Fill", ("Fill()",), ("big",)),
    ]


def test_projections() -> None:
    """States with equal values of an expression of TLA+ are one node, also without a value."""
    whole, graph = graph_of(JUGS), graph_of(JUGS, by=("Min(big, 2)", "5 \\div small"))
    assert sum(node.states for node in graph.nodes) == len(whole.nodes) == 16
    assert sum(edge.steps for edge in graph.edges) == sum(edge.steps for edge in whole.edges)
    assert graph.nodes[0].lines == ("Min(big, 2) = 0", "5 \\div small = no value")


def test_around_a_state() -> None:
    """The first state that meets a condition, and the states that are one step from it."""
    graph = graph_of(JUGS, around="big = 4 /\\ TypeOK")
    assert "big: 4" in [line for node in graph.nodes for line in node.lines]
    assert len(graph.nodes) == 5
    with pytest.raises(UsageError, match='no state meets "big = 9"'):
        graph_of(JUGS, around="big = 9")
    with pytest.raises(ExpressionError, match="1 is neither TRUE nor FALSE"):
        graph_of(JUGS, around="big + 1")


def test_expressions() -> None:
    """A value in TLA+'s notation; none where the evaluation fails."""
    spec = load_module(module_of(JUGS), JUGS).spec
    state = next(spec.interpreter().initial())  # type: ignore[attr-defined]
    reader = spec.expressions()
    assert repr(reader.read("[both |-> big + small, x |-> {big}]").value(state)) == (
        "[both |-> 0, x |-> {0}]"
    )
    assert reader.condition("big = 0").value(state) is True
    with pytest.raises(NoValueError):
        reader.read("<<1>>[big]").value(state)
    with pytest.raises(ExpressionError, match="not an expression of one state"):
        reader.read("big'")
    with pytest.raises(ExpressionError, match='did you mean "small"'):
        reader.read("smal")


def test_watched_in_traces(specmodel: Specmodel, tmp_path: Path) -> None:
    """`--watch` shows the values of an expression in a trace that is checked, or read."""
    file = tmp_path / "x.itf.json"
    given = ("--config", JUGS, "--watch", "big + small", "--trace-out", file)
    ran = specmodel("check", module_of(JUGS), *given)
    assert ran.code == 1 and "big + small  0 → 5" in ran.out
    ran = specmodel("trace", file, "--watch", "big + small")
    assert ran.code == 0 and "big + small  0 → 5" in ran.out
    reading = open_target(str(file), {})
    assert isinstance(reading, DesignReading)
    assert reading.watch(Branch("t", 7), "<<big, small>>", 1, 3) == [
        "<<0, 0>>",
        "<<5, 0>>",
        "<<2, 3>>",
    ]


def test_an_alias_is_no_state(specmodel: Specmodel, tmp_path: Path) -> None:
    """What an ALIAS shows under the name of a variable is not taken for the variable."""
    text = (MODULES / "Jugs.tla").read_text()
    shown = "Shown == [big |-> big * 100, small |-> small]\n===="
    (tmp_path / "Jugs.tla").write_text(text.replace("====\n", shown))
    (tmp_path / "Jugs.cfg").write_text(f"{JUGS.read_text()}\nALIAS Shown\n")
    ran = specmodel("check", tmp_path / "Jugs.tla", "--watch", "big + 1")
    assert ran.code == 1 and "0 → 500" in ran.out
    assert "big + 1  = no value: an ALIAS shows other variables" in ran.out


def test_all_shortest_ways(specmodel: Specmodel, tmp_path: Path) -> None:
    """The states and steps of all shortest counterexamples; refused under SYMMETRY."""
    ran = specmodel("graph", f"{module_of(JUGS)}:{JUGS.name}", "--show", "shortest")
    assert ran.code == 0 and "the only shortest way to NotSolved, of 7 states" in ran.out
    assert 'label="7   ✗ violating\\lbig: 4\\lsmall: 3\\l"' in ran.out
    for file in ("Locks.tla", "Locks-symmetry.cfg"):
        (tmp_path / file).write_text(
            (MODULES / file).read_text().replace("OneEach\n", "NeverBoth\n")
        )
    (tmp_path / "All.cfg").write_text(
        (tmp_path / "Locks-symmetry.cfg").read_text().replace("SYMMETRY Symmetric", "")
    )
    ran = specmodel("graph", tmp_path / "Locks.tla:Locks-symmetry.cfg", "--show", "shortest")
    assert ran.code == 2 and "leave it out of the configuration" in ran.err
    ran = specmodel("graph", tmp_path / "Locks.tla:All.cfg", "--show", "shortest")
    assert (
        "the 4 shortest ways to NeverBoth, of 6 states" in ran.out and "Ask(c=c1, l=l2)" in ran.out
    )
