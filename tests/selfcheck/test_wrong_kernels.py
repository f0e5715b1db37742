"""Runs whose compiled code is wrong end with the state in which it is, and an exit code of its own.

The faults are planted here, where specs are run symbolically and where graphs are simplified: what
comes of that is the code of every engine but CPython's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel import api, load
from specmodel.analysis import recheck as again
from specmodel.design import Design
from specmodel.engines import native
from specmodel.errors import Disagreement
from specmodel.ir import nodes as ir
from specmodel.ir.symbolic.execute import Execution
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.results import Options
from tests.conftest import Specmodel
from tests.selfcheck.specs import desk_file
from tests.written import design_of

CODE = 4

MEMBERSHIP = """
class State(Struct):
    x: Annotated[int, Range(0, 3)]

@init
def start() -> State:
    return State(0)

@action
def step(s: State) -> None:
    s.x = (s.x + 1) % 4

@invariant
def never(s: State) -> bool:
    return not s.x in ({0} | {0}) or s.x != 1

@reachable
def ends(s: State) -> bool:
    return s.x == 1 and s.x in ({0} | {3})

spec = Spec(state=State, init=start, actions=[step], invariants=[never], reachable=[ends])
"""

Plant = Callable[[], None]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Wrong code must not be found by others; files of differences go to a folder of the test."""
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def wrong_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serving leaves the number of those served as it was."""
    action = Execution.action

    def wrong(self: Execution, function: ir.Function, leaves: Any, args: Any) -> tuple[Node, ...]:
        after = list(action(self, function, leaves, args))
        if function.name == "serve":
            after[-1] = leaves[-1]
        return tuple(after)

    monkeypatch.setattr(Execution, "action", wrong)


@pytest.fixture
def wrong_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resting looks for no guard but the first."""
    action = Execution.action

    def wrong(self: Execution, function: ir.Function, leaves: Any, args: Any) -> tuple[Node, ...]:
        after = action(self, function, leaves, args)
        if function.name == "serve":
            self.run.guards[:] = []
            self.run.failures[:] = []
        return after

    monkeypatch.setattr(Execution, "action", wrong)


def wrong_property(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    """A property is true where it is false, and false where it is true."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        judge = Execution.property

        def wrong(self: Execution, function: ir.Function, *rest: Any) -> Node:
            node = judge(self, function, *rest)
            return self.graph.negate(node) if function.name == name else node

        monkeypatch.setattr(Execution, "property", wrong)

    return plant


COMMANDS = {
    "native": ("check", "--engine", "native"),
    "one worker": ("check", "--workers", "1"),
    "symmetric": ("check", "--symmetry"),
    "compressed": ("check", "--compress"),
    "fingerprints": ("check", "--fingerprint"),
    "smt": ("check", "--engine", "smt", "--depth", "6"),
    "walks": ("simulate", "--walks", "200"),
    "guided walks": ("simulate", "--walks", "200", "--strategy", "coverage"),
}


def ends_so(specmodel: Specmodel, folder: Path, command: str, *named: str) -> str:
    """A command on the desk ends with a difference that names all of that; gives the message."""
    ran = specmodel(*COMMANDS[command][:1], desk_file(folder), *COMMANDS[command][1:])
    assert ran.code == CODE, ran
    assert "and CPython disagree; this is a defect of specmodel" in ran.err
    for text in named:
        assert text in ran.err
    return ran.err


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_successor(
    specmodel: Specmodel, tmp_path: Path, wrong_step: None, command: str
) -> None:
    """The binding, both outcomes, the place in the spec, and what to do."""
    told = ends_so(specmodel, tmp_path, command, "  serve() (", "desk.py:", "served = 1")
    assert "CPython: leads to a state with " in told
    assert "--engine interpret" in told


@pytest.mark.parametrize("command", ["native", "smt", "walks"])
def test_wrong_guard(specmodel: Specmodel, tmp_path: Path, wrong_guard: None, command: str) -> None:
    """An action that is enabled where it must not be."""
    ends_so(specmodel, tmp_path, command, "  serve() (", "CPython: cannot happen")


@pytest.mark.parametrize("command", ["native", "smt", "walks"])
@pytest.mark.parametrize("name", ["few", "three", "one_by_one"])
def test_wrong_property(
    specmodel: Specmodel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    name: str,
) -> None:
    """A property of each kind, whether the run would have ended with a violation or not."""
    wrong_property(name)(monkeypatch)
    ends_so(specmodel, tmp_path, command, f"  {name}")


def test_wrong_simplification(
    specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A graph that takes one node for another."""
    select = Graph.select
    monkeypatch.setattr(Graph, "select", lambda self, c, a, b: select(self, c, b, a))
    ends_so(specmodel, tmp_path, "native")


@pytest.fixture
def shared_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests for membership in two sets share a node with the interval of the narrower."""
    right = Graph.bit

    def bit(self: Graph, position: Node, width: int) -> Node:
        node = right(self, position, width)
        if not node.constant:
            node.high = min(node.high, 1 << (width - 1))
        return node

    monkeypatch.setattr(Graph, "bit", bit)


@pytest.mark.parametrize("engine", ["native", "smt"])
def test_membership_of_sets_of_two_widths(tmp_path: Path, shared_bits: None, engine: str) -> None:
    """A fault that once was: `s.x == 1 and s.x in {0, 3}` was reached, as `s.x in {0}` is there."""
    design = design_of(tmp_path, MEMBERSHIP)
    with pytest.raises(Disagreement, match="ends"):
        api.check(design, engine=engine, max_depth=5 if engine == "smt" else None)


def test_wrong_constraint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """States are kept that a constraint is to keep out."""
    text = (
        MEMBERSHIP.replace("Spec(state", "Spec(constraints=[low], state")
        .replace(
            "@reachable",
            "@constraint\ndef low(s: State) -> bool:\n    return s.x < 2\n\n@reachable",
        )
        .replace(" and s.x in ({0} | {3})", "")
        .replace("not s.x in ({0} | {0}) or s.x != 1", "s.x < 4")
    )
    design = design_of(tmp_path, text)
    assert api.check(design).distinct == 2
    wrong_property("low")(monkeypatch)
    design = design_of(tmp_path, text)
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "other"))
    for run in (api.check, api.simulate):
        with pytest.raises(Disagreement, match="constraints"):
            run(design)


def test_wrong_part_of_a_temporal_property(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel of the graph of states is compared as well."""
    file = Path(__file__).parents[1] / "specs" / "alternating_bit.py"
    assert native.check(load(f"{file}:strongly")).self_check is not None
    wrong_property("both_agree")(monkeypatch)
    monkeypatch.setenv("SPECMODEL_CACHE", "other")
    with pytest.raises(Disagreement, match="  both_agree"):
        native.check(load(f"{file}:strongly"))


def test_wrong_least_of_an_orbit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The canonical form of a symmetric search is compared with the least over all renamings."""
    design = load(f"{desk_file(tmp_path)}:spec")
    from specmodel.kernel.kernel import Kernel

    monkeypatch.setattr(Kernel, "canonical_forms", lambda self, states: list(states))
    with pytest.raises(Disagreement, match="the least of the states with other names"):
        native.check(replace(design, symmetry=True), Options(symmetry=True))


def test_reproduced_by_its_file(
    specmodel: Specmodel,
    tmp_path: Path,
    own_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The file shows the difference again, as long as it is there, for each kind of code."""
    for command in ("native", "walks", "smt"):
        with pytest.MonkeyPatch.context() as patch:
            wrong_property("few")(patch)
            told = ends_so(specmodel, tmp_path, command, "  few (")
            (file,) = own_cache.glob("disagreement-*.json")
            assert f"-m specmodel.analysis.recheck {file}" in told
            assert json.loads(file.read_text())["what"] == "few"
            assert again.main([str(file)]) == CODE
            assert "  few (" in capsys.readouterr().err
        monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / f"mended {command}"))
        assert again.main([str(file)]) == 0
        assert "agree about this state" in capsys.readouterr().out
        file.unlink()
        monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / f"wrong again {command}"))
    assert again.main(["nowhere.json"]) == 2
    assert again.main([]) == 2


def test_turned_off(specmodel: Specmodel, tmp_path: Path, wrong_step: None) -> None:
    """With 0 nothing is compared: the search takes the kernel's word."""
    ran = specmodel("check", desk_file(tmp_path), "--self-check", "0")
    assert ran.code == 1
    assert "self-check" not in ran.out


def test_said_in_reports(specmodel: Specmodel, tmp_path: Path) -> None:
    """A line of the summary and a key of the JSON, of checks and of simulations alike."""
    file = desk_file(tmp_path)
    for command in ("check", "simulate"):
        ran = specmodel(command, file)
        (line,) = (line for line in ran.out.splitlines() if line.startswith("self-check"))
        told = json.loads(specmodel(command, file, "--format", "json").out)["self_check"]
        assert line == (
            f"self-check: {told['states']} states, {told['steps']} steps agree with CPython"
        )
        assert "self-check" not in specmodel(command, file, "--quiet").out
        off = specmodel(command, file, "--format", "json", "--self-check", "0")
        assert json.loads(off.out)["self_check"] is None
    assert specmodel("check", file, "--engine", "interpret").out.count("self-check") == 0
    for wrong in ("some", "-1"):
        assert specmodel("check", file, "--self-check", wrong).code == 2


def test_design_without_a_file(tmp_path: Path, wrong_step: None) -> None:
    """What was made in Python is told of all the same; its file cannot show it again."""
    loaded = api.load(str(desk_file(tmp_path)))
    design = Design(loaded.name, loaded.spec, loaded.constants)
    with pytest.raises(Disagreement) as told:
        api.check(design)
    name = str(told.value).rsplit(" ", 1)[1]
    assert json.loads(Path(name).read_text())["design"] is None
    assert again.main([name]) == 2
