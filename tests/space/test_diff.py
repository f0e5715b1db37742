"""What two saved spaces have alone agrees with sets made by the interpreter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specmodel.analysis.examples import trace_of
from specmodel.design import Design
from specmodel.space.diff import SpaceDifference, difference
from tests.conftest import Specmodel
from tests.space.runs import Known, known, saved, text

SMALL: dict[str, Any] = {"replicas": 2, "max_leader_epoch": 1}
RIVALS = ("truncate-to-hw", "kip279")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], list[Design], list[Known]]:
    folder = tmp_path_factory.mktemp("spaces")
    paths = [folder / name for name in RIVALS]
    designs = [saved(path, path.name, **SMALL) for path in paths]
    return paths, designs, [known(design) for design in designs]


Runs = tuple[list[Path], list[Design], list[Known]]


@pytest.fixture(scope="module")
def found(runs: Runs) -> SpaceDifference:
    return difference(*runs[0])


def test_states_and_steps_are_those_of_the_interpreter(runs: Runs, found: SpaceDifference) -> None:
    """Counts, by action and in all; a step is a pair of states, under whatever name."""
    _, _, expected = runs
    for side, here, there in ((0, 0, 1), (1, 1, 0)):
        states, others = expected[here].states, expected[there].states
        pairs = {(a, b) for a, _, b in expected[there].steps}
        alone = [(a, step, b) for a, step, b in expected[here].steps if (a, b) not in pairs]
        told = found.sides[side]
        assert told.states == len(states.keys() - others.keys())
        assert told.steps == len(alone)
        for action in told.actions:
            mine = [held for held in alone if held[1].startswith(f"{action.name}(")]
            assert action.steps == len(mine)
            assert action.parting == sum(a in others for a, _, _ in mine)
        assert sum(action.steps for action in told.actions) == len(alone)
        assert sum(action.found for action in told.actions) <= told.states
    common = expected[0].states.keys() & expected[1].states.keys()
    assert found.common == len(common)
    depths = [held.states for held in expected]
    assert found.moved == sum(depths[0][s] != depths[1][s] for s in common)
    assert all(side.states and side.steps for side in found.sides), "the test compares nothing"


def test_examples_are_behaviours_to_where_they_part(runs: Runs, found: SpaceDifference) -> None:
    """Each is a behaviour of its design that the other does not have, and none is shorter."""
    _, designs, expected = runs
    for number, side in enumerate(found.sides):
        design, other = designs[number], expected[1 - number]
        pairs = {(a, b) for a, _, b in other.steps}
        for action in side.actions:
            if action.example is None:
                assert action.parting == 0
                continue
            trace = trace_of(side.space, design, action.example.path, action.example.last)
            assert trace.steps[-1].action == action.name
            before, after = text(trace.states[-2]), text(trace.states[-1])
            assert before in other.states
            assert (before, after) not in pairs
        assert side.example is not None
        trace = trace_of(side.space, design, side.example.path)
        mine = expected[number].states
        assert text(trace.states[-1]) not in other.states
        assert trace.length == min(mine[s] for s in mine.keys() - other.states.keys())


def test_a_space_differs_from_itself_in_nothing(runs: Runs, specmodel: Specmodel) -> None:
    """And the report says so."""
    path = runs[0][0]
    same = difference(path, path)
    assert [(side.states, side.steps, side.actions) for side in same.sides] == [(0, 0, ())] * 2
    assert same.moved == 0
    assert specmodel("diff", path, path).out.count("nothing that the other has not") == 2


def test_orbits_are_compared_too(tmp_path: Path, specmodel: Specmodel) -> None:
    """Symmetric spaces against each other, with a real behaviour for an example."""
    for name in RIVALS:
        run = tmp_path / name
        settings = [v for k, n in SMALL.items() for v in ("--set", f"{k}={n}")]
        specmodel("check", name, "--symmetry", "--continue", "--save-space", run, *settings)
    ran = specmodel("diff", *(tmp_path / name for name in RIVALS), "--full")
    assert ran.code == 0, ran.err
    assert "A step that only it has" in ran.out


def test_json_has_ids_and_steps(runs: Runs, specmodel: Specmodel) -> None:
    """An example as a program can follow it: ids of states, and the bindings between."""
    told = json.loads(specmodel("diff", *runs[0], "--format", "json").out)
    side = told["sides"][0]
    assert side["design"] == RIVALS[0]
    example = side["example"]
    assert len(example["states"]) == len(example["steps"]) + 1


def test_without_the_source_values_are_shown(tmp_path: Path, specmodel: Specmodel) -> None:
    """The manifest is enough to read a way by."""
    source = tmp_path / "own.py"
    source.write_text(
        "from specmodel.lang import Spec, Struct, action, init, require\n\n\n"
        "class State(Struct):\n    a: bool\n    b: bool\n\n\n"
        "@init\ndef start() -> State:\n    return State(False, False)\n\n\n"
        "@action\ndef first(s: State) -> None:\n    require(not s.a)\n    s.a = True\n\n\n"
        "@action\ndef second(s: State) -> None:\n    require(not s.b)\n    s.b = True\n\n\n"
        "both = Spec(state=State, init=start, actions=[first, second])\n"
        "one = Spec(state=State, init=start, actions=[first])\n"
    )
    for name in ("both", "one"):
        saved(tmp_path / name, f"{source}:{name}")
    source.unlink()
    ran = specmodel("diff", tmp_path / "both", tmp_path / "one")
    assert "  2  second()\n" in ran.out
    assert "        b = False\n" in ran.out


def test_spaces_of_different_types_are_refused(
    runs: Runs, tmp_path: Path, specmodel: Specmodel
) -> None:
    """With the first difference of their states; so are symmetric ones with others."""
    saved(tmp_path / "other", RIVALS[0], replicas=2, max_leader_epoch=0)
    ran = specmodel("diff", runs[0][0], tmp_path / "other")
    assert ran.code == 2
    assert "have states of different types: high of replica.epoch is 1, not 0" in ran.err
    saved(tmp_path / "commit", "two-phase-commit")
    ran = specmodel("diff", runs[0][0], tmp_path / "commit")
    assert "is there in one of them only" in ran.err
